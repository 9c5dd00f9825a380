#!/usr/bin/env python3
"""Runs pytest twice on the reference and once on a device: what passes on the reference is what is run, compared and expected after a port.

    selected_tests.py PYTEST-ARGUMENTS...

$TRIAL_REFERENCE is the file with the outcomes on the reference (made there, read everywhere), $TRIAL_PORT the one of a port; one JSON
object per test and line.
"""
from __future__ import annotations

import json
import operator
import os
import random
import subprocess
import sys
import tempfile
from typing import Any

FIRST = "TRIAL_FIRST"  # set for the run that only finds out what passes


class Recorder:
    def __init__(self, path: str, selected: set[str] | None) -> None:
        self.path, self.selected, self.failed = path, selected, set[str]()
        open(path, "w").close()

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        if self.selected is not None:
            gone = [item for item in items if item.nodeid not in self.selected]
            config.hook.pytest_deselected(items=gone)
            items[:] = [item for item in items if item.nodeid in self.selected]

    def pytest_runtest_setup(self, item: Any) -> None:
        # One test that draws more, or is skipped, must not move the numbers of the next.
        random.seed(0)
        for module, seed in (("numpy", "random.seed"), ("torch", "manual_seed")):
            if module in sys.modules:
                operator.attrgetter(seed)(sys.modules[module])(0)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when != "call" and report.outcome == "passed":
            return
        if report.when == "teardown" and report.outcome == "skipped":
            return
        place = getattr(getattr(report.longrepr, "reprcrash", None), "message", "") or (str(report.longrepr) if report.outcome != "passed" else "")
        frames = [f"{entry.reprfileloc.path}:{entry.reprfileloc.lineno}" for entry in getattr(getattr(report.longrepr, "reprtraceback", None), "reprentries", [])
                  if getattr(entry, "reprfileloc", None)]
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"test": report.nodeid, "outcome": report.outcome, "when": report.when, "said": place[:600], "frames": frames}) + "\n")


def passed(path: str) -> set[str]:
    outcomes: dict[str, set[str]] = {}
    with open(path, encoding="utf-8") as file:
        for row in map(json.loads, file):
            outcomes.setdefault(row["test"], set()).add(row["outcome"])
    return {test for test, seen in outcomes.items() if seen == {"passed"}}


def main() -> int:
    import pytest

    reference = os.environ["TRIAL_REFERENCE"]
    if os.environ.get(FIRST):
        pytest.main(sys.argv[1:], plugins=[Recorder(reference, None)])
        return 0
    is_reference = os.environ.get("STARBRIDGE_REFERENCE") == "1"
    if is_reference:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # under the same conditions; what is read does not count, and children may write on
            env = {**os.environ, FIRST: "1", "STARBRIDGE_PROBE_FOLDER": folder}
            done = subprocess.run([sys.executable, __file__, *sys.argv[1:]], env=env)
        if done.returncode != 0:
            return done.returncode
    selected = passed(reference)
    if not selected:
        print("no test passes on the reference")
        return 5
    return int(pytest.main(sys.argv[1:], plugins=[Recorder(os.devnull if is_reference else os.environ["TRIAL_PORT"], selected)]))


if __name__ == "__main__":
    sys.exit(main())
