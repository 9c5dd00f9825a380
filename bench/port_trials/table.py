#!/usr/bin/env python3
"""Writes the tables of docs/port-trials.md from what run.py left in its work folder.

    bench/port_trials/table.py WORK [PAGE] > docs/port-trials.md

Given an earlier PAGE (a copy of it: the shell empties what it writes to), repositories that WORK has no result of stay as they were there.
causes.tsv beside this file says of what does not agree, or does not run on the reference, why, and what in the report says so beforehand.
A row without a cause is written as unexplained: nothing is left out.
"""
from __future__ import annotations

import collections
import dataclasses
import json
import pathlib
import re
import sys
from typing import Any

from earlier_page import EarlierPage
from run import EVERY, HERE, Trial, outcome, read_trials

INTRODUCTION = HERE / "introduction.md"
NAMES_MAX = 12  # of tests in one cell; more of them with one cause are counted


@dataclasses.dataclass
class Counts:
    agree: int = 0
    differ: int = 0
    failed: int = 0

    def __str__(self) -> str:
        return f"{self.agree} / {self.differ} / {self.failed}"


@dataclasses.dataclass
class Trouble:
    what: str  # ID or ID::test
    where: str  # CHIP STYLE
    kind: str
    said: str


def read_outcomes(path: pathlib.Path) -> dict[str, dict[str, Any]]:
    """The worst row of each test."""
    rows: dict[str, dict[str, Any]] = {}
    if path.exists():
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if row["test"] not in rows or row["outcome"] == "failed":
                rows[row["test"]] = row
    return rows


def last_error(text: str) -> str:
    lines = [line.strip(" │E>") for line in text.replace("\\n", "\n").splitlines()]
    found = [line for line in lines if re.match(r"(\[rank\d\]: *)?[\w.]*(Error|Exception|Interrupt)\b", line)]
    return (found[-1] if found else next((line for line in reversed(lines) if line), ""))[:220]


def differing(report: dict[str, Any]) -> list[str]:
    names = [row["name"] for row in report.get("series", []) if not row["agrees"]]
    return names + [f"{row['file']} {row['name']}" for row in report.get("tensors", []) if not row["agrees"]]


class Tally:
    def __init__(self, work: pathlib.Path) -> None:
        self.work = work
        self.counts: dict[str, dict[str, Counts]] = collections.defaultdict(lambda: collections.defaultdict(Counts))
        self.on_reference: dict[str, int] = collections.Counter()
        self.numbers: dict[str, int] = collections.Counter()
        self.troubles: list[Trouble] = []
        self.not_on_reference: dict[str, str] = {}
        self.tests_not_on_reference: dict[str, int] = collections.Counter()
        self.missing: list[str] = []

    def add(self, trial: Trial) -> None:
        is_tests = "@tests" in trial.command
        reference = read_outcomes(self.work / "outcomes" / f"{trial.id}.jsonl") if is_tests else {}
        passed = {test for test, row in reference.items() if row["outcome"] == "passed"}
        is_counted = False
        for entry in (trial.runs or EVERY).split(","):
            chip, _, style = entry.partition("/")
            style = style or "vendor"
            path = self.work / "results" / f"{trial.id}.{chip}.{style}.json"
            if not path.exists():
                self.missing.append(f"{trial.id} {chip} {style}")
                continue
            result = json.loads(path.read_text())
            said = outcome(result)
            if said in ("reference failed", "error"):
                self.not_on_reference[trial.id] = last_error(result.get("error", ""))
                continue
            if not is_counted:
                is_counted = True
                self.on_reference[trial.repository] += len(passed) if is_tests else 1
                self.tests_not_on_reference[trial.repository] += sum(row["outcome"] == "failed" for row in reference.values())
            column, where = self.counts[trial.repository][f"{chip} {style}"], f"{chip} {style}"
            report = result.get("verify", {})
            self.numbers[trial.repository] += sum(row["port_count"] for row in report.get("series", [])) + len(report.get("tensors", []))
            names = differing(report)
            if is_tests:
                self.add_tests(trial, passed, names, column, where, report)
            elif said == "port failed":
                column.failed += 1
                self.troubles.append(Trouble(trial.id, where, "failed", last_error(report.get("port_tail", ""))))
            elif said == "differs":
                column.differ += 1
                self.troubles.append(Trouble(trial.id, where, "differs", report.get("reason", "")))
            else:
                column.agree += 1

    def add_tests(self, trial: Trial, passed: set[str], names: list[str], column: Counts, where: str, report: dict[str, Any]) -> None:
        kind = where.split()
        port = read_outcomes(self.work / "outcomes" / f"{trial.id}.{kind[0]}.{kind[1]}.jsonl")
        of_test: dict[str, str] = {}
        elsewhere: list[str] = []
        for name in names:
            found = re.search(r" in (\S+::.*?)(?: \(rank \d+\))?$", name)
            if found:
                of_test.setdefault(found[1], name)
            else:
                elsewhere.append(name)
        for test in sorted(passed):
            row = port.get(test)
            if row is None or row["outcome"] != "passed":
                column.failed += 1
                is_skipped = row is not None and row["outcome"] == "skipped"
                said = row["said"].rpartition("Skipped: ")[2].rstrip("')") if is_skipped else last_error(row["said"]) if row else "did not run: " + last_error(report.get("port_tail", ""))
                self.troubles.append(Trouble(f"{trial.id}::{test}", where, "skipped" if is_skipped else "failed", said))
            elif test in of_test:
                column.differ += 1
                self.troubles.append(Trouble(f"{trial.id}::{test}", where, "differs", of_test[test]))
            else:
                column.agree += 1
        if elsewhere and column.failed == 0:
            self.troubles.append(Trouble(trial.id, where, "differs", elsewhere[0]))


def read_causes() -> list[tuple[re.Pattern[str], str, str]]:
    causes = []
    for number, line in enumerate((HERE / "causes.tsv").read_text(encoding="utf-8").splitlines()):
        if line and not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) != 3:
                raise SystemExit(f"causes.tsv:{number + 1}: three fields are expected: pattern, cause, what predicts it")
            causes.append((re.compile(fields[0]), fields[1], fields[2]))
    return causes


def cause_of(causes: list[tuple[re.Pattern[str], str, str]], text: str) -> tuple[str, str]:
    return next(((cause, predicted) for pattern, cause, predicted in causes if pattern.search(text)), ("unexplained", "no"))


def write_troubles(tally: Tally, causes: list[tuple[re.Pattern[str], str, str]], kept: list[tuple[str, str]]) -> None:
    groups: dict[tuple[str, str, str, str], list[Trouble]] = collections.defaultdict(list)
    for trouble in tally.troubles:
        cause, predicted = cause_of(causes, f"{trouble.what} {trouble.where} {trouble.kind} {trouble.said}")
        groups[trouble.what.partition("::")[0], trouble.kind, cause, predicted].append(trouble)
    print("| row | what | tests or program | where | cause | predicted by the report |\n|---|---|---|---|---|---|")
    lines = list(kept)
    for (row, kind, cause, predicted), members in sorted(groups.items()):
        functions = collections.Counter(name for member in {(m.what, m.where.split()[0]): m for m in members if "::" in m.what}.values()
                                        for name in [member.what.rpartition("::")[2].partition("[")[0]])
        chips = len({member.where.split()[0] for member in members})
        tests = [f"`{name}`" + (f" ({-(-count // chips)} cases)" if count > chips else "") for name, count in sorted(functions.items())]
        if len(tests) > NAMES_MAX:
            tests = [f"{len({member.what for member in members})} tests"]
        where = ", ".join(sorted({member.where for member in members}))
        text = cause if cause != "unexplained" else f"unexplained: `{members[0].said.replace('|', '¦')}`"
        lines.append((row, f"| {row} | {kind} | {', '.join(tests) or 'the program'} | {where} | {text} | {predicted} |"))
    for _, line in sorted(lines):
        print(line)


def keep(tally: Tally, page: EarlierPage, trials: list[Trial]) -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
    """Adds what the page says of repositories without a result; returns their rows and troubles."""
    rows = {name: cells for name, cells in page.repositories.items() if name not in tally.counts}
    own = {trial.id for trial in trials if trial.repository in rows}
    for name in rows:
        tally.tests_not_on_reference[name] = page.failing.get(name, 0)
    tally.not_on_reference.update((name, why) for name, why in page.not_on_reference.items() if name in own)
    tally.missing = [name for name in tally.missing if name.split()[0] not in own or name in page.missing]
    return rows, [(name, line) for name, line in page.troubles if name in own]


def main() -> None:
    tally = Tally(pathlib.Path(sys.argv[1]))
    page = EarlierPage(pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    trials = read_trials(HERE / "trials.tsv")
    for trial in trials:
        tally.add(trial)
    kept, kept_troubles = keep(tally, page, trials)
    columns = [f"{chip} {style}" for chip in ("ascend-910b3", "mlu370-x8") for style in ("vendor", "plug-in")] + ["ascend-910b3 portable"]
    causes = read_causes()
    print(INTRODUCTION.read_text(encoding="utf-8"))
    print("## Per repository\n\nAgree / differ / failed, of the programs and tests that pass on the reference. A column counts what was run in it.\n")
    print("| repository | pass on the reference | " + " | ".join(columns) + " | numbers compared |")
    print("|---|" + "---|" * (len(columns) + 2))
    total = {column: Counts() for column in columns}
    on_reference = numbers = 0
    for repository in dict.fromkeys(trial.repository for trial in trials):
        row = tally.counts.get(repository, {})
        cells = kept.get(repository) or [str(tally.on_reference[repository]), *(str(row[column]) if column in row else "-" for column in columns), str(tally.numbers[repository])]
        on_reference, numbers = on_reference + int(cells[0]), numbers + int(cells[-1])
        for column, cell in zip(columns, cells[1:-1], strict=True):
            counts = [int(count) for count in cell.split("/")] if cell != "-" else [0, 0, 0]
            total[column] = Counts(*(a + b for a, b in zip(dataclasses.astuple(total[column]), counts, strict=True)))
        print(f"| {repository} | " + " | ".join(cells) + " |")
    print(f"| all | {on_reference} | " + " | ".join(str(total[column]) for column in columns) + f" | {numbers} |")
    print("\n## What does not agree\n")
    write_troubles(tally, causes, kept_troubles)
    print("\n## What does not run on the reference\n\nNot judged after the port.\n\n| row | why |\n|---|---|")
    for name, said in sorted(tally.not_on_reference.items()):
        cause = page.not_on_reference[name] if said == page.not_on_reference.get(name) else cause_of(causes, f"{name} reference {said}")[0]
        print(f"| {name} | {cause if cause != 'unexplained' else '`' + said.replace('|', '¦') + '`'} |")
    print("\nTests that fail on the reference too, left out before the comparison: "
          + (", ".join(f"{name} {count}" for name, count in tally.tests_not_on_reference.items() if count) or "none") + ".")
    if tally.missing:
        print("\nNot run: " + ", ".join(tally.missing) + ".")


if __name__ == "__main__":
    main()
