"""What `starbridge verify` puts beside a run: which files ran, and numbers a script wants compared.

A script may call `starbridge_probe.record("loss", step, value)`; outside a verification this does nothing.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
from types import CodeType, FrameType
from typing import Any

from starbridge_reads import line_of

_folder = os.environ.get("STARBRIDGE_PROBE_FOLDER", "")
_project = os.path.realpath(os.environ.get("STARBRIDGE_PROBE_PROJECT", "") or os.getcwd()) + os.sep
_seen: set[CodeType] = set()


def record(name: str, step: int, value: float) -> None:
    """Notes one number of a named series."""
    if not _folder:
        return
    with open(os.path.join(_folder, f"records.{os.getpid()}.jsonl"), "a", encoding="utf-8") as file:
        file.write(line_of(str(name), int(step), float(value)))


def install() -> None:
    """Notes calls of Python functions, once per function, and writes the files they are in at exit."""

    def on_call(frame: FrameType, event: str, argument: Any) -> None:
        # Returning nothing keeps lines untraced, so that only calls cost.
        _seen.add(frame.f_code)

    sys.settrace(on_call)
    threading.settrace(on_call)
    atexit.register(_write)


def _write() -> None:
    sys.settrace(None)
    executed: set[str] = set()
    for code in list(_seen):
        path = os.path.realpath(code.co_filename)
        # A module's own body is its import, except for the main program.
        if path.startswith(_project) and (code.co_name != "<module>" or getattr(sys.modules.get("__main__"), "__file__", "") == code.co_filename):
            executed.add(path[len(_project):])
    imported: set[str] = set()
    for module in list(sys.modules.values()):
        path = os.path.realpath(getattr(module, "__file__", None) or "")
        if path.startswith(_project):
            imported.add(path[len(_project):])
    try:
        with open(os.path.join(_folder, f"files.{os.getpid()}.json"), "w", encoding="utf-8") as file:
            json.dump({"executed": sorted(executed), "imported": sorted(imported)}, file)
    except OSError as error:
        print(f"starbridge_probe: {error}", file=sys.stderr)
