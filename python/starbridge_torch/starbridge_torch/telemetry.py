"""Which lines of the program were intercepted, and how often: a JSON file that `starbridge scan --telemetry` joins with the sources."""
from __future__ import annotations

import atexit
import itertools
import json
import os
import sys
from types import CodeType, FrameType
from typing import Any

VARIABLE = "STARBRIDGE_TORCH_TELEMETRY"
SCHEMA = "starbridge.torch_telemetry/1"

# (number of the code object, place in it, name) -> a counter. Counting by next() needs no lock; lines are worked out at the end.
_counts: dict[tuple[int, int, str], Any] = {}
_codes: dict[int, CodeType] = {}
_state: dict[str, Any] = {"is_on": False, "backend": "", "pid": 0}


def start(backend: str) -> None:
    _state["backend"] = backend
    if os.environ.get(VARIABLE):
        switch_on()
        atexit.register(_write_at_exit)
        _state["pid"] = os.getpid()


def switch_on() -> None:
    _state["is_on"] = True


def record(frame: FrameType | None, name: str) -> None:
    if not _state["is_on"] or frame is None:
        return
    code = frame.f_code
    key = (id(code), frame.f_lasti, name)
    counter = _counts.get(key)
    if counter is None:
        _codes[id(code)] = code  # held, so that its number stays its own
        counter = _counts.setdefault(key, itertools.count())
    next(counter)


def _line_of(code: CodeType, place: int) -> int:
    for begin, end, line in code.co_lines():
        if begin <= place < end and line is not None:
            return line
    return code.co_firstlineno


def calls() -> list[dict[str, Any]]:
    """Every intercepted call: file, line, name and count, sorted."""
    totals: dict[tuple[str, int, str], int] = {}
    for (number, place, name), counter in list(_counts.items()):
        code = _codes[number]
        key = (os.path.abspath(code.co_filename) if not code.co_filename.startswith("<") else code.co_filename, _line_of(code, place), name)
        totals[key] = totals.get(key, 0) + counter.__reduce__()[1][0]
    return [{"file": file, "line": line, "name": name, "count": count} for (file, line, name), count in sorted(totals.items())]


def write(path: str) -> None:
    record = {"schema": SCHEMA, "backend": _state["backend"], "pid": os.getpid(), "calls": calls()}
    scratch = f"{path}.{os.getpid()}.part"
    with open(scratch, "w", encoding="utf-8") as file:
        json.dump(record, file, indent=1)
        file.write("\n")
    os.replace(scratch, path)


def _write_at_exit() -> None:
    path = os.environ.get(VARIABLE)
    if not path:
        return
    # The first process of a run owns the name; its children append their number.
    owner = os.environ.get(VARIABLE + "_PID")
    try:
        write(path if owner in (None, str(os.getpid())) else f"{path}.{os.getpid()}")
    except OSError as failure:
        print(f"starbridge_torch: {path} could not be written: {failure}", file=sys.stderr)
