#!/usr/bin/env python3
"""Writes the tables of docs/kernel-port-trials.md from what run.py left in its work folders, and the same figures for machines.

    bench/kernel_trials/table.py [WORK...]       # writes docs/kernel-port-trials.md and bench/kernel_trials/results.tsv

One work folder per chip. What the folders do not hold keeps its row of results.tsv; a program of trials.tsv that has neither is written as
not run: nothing is left out.
"""
from __future__ import annotations

import argparse
import csv
import dataclasses
import json
import pathlib
import re
import sys
from typing import Any

from run import HERE, ROOT, read_trials

COLUMNS = ("chip", "id", "parsed", "emulated", "ported", "clean", "agrees", "verified", "class", "runs", "kernels", "vectorised_percent",
           "modelled_us", "bound_us", "bound_ratio", "reason")


@dataclasses.dataclass
class Row:
    chip: str
    id: str
    parsed: str = "-"
    emulated: str = "-"
    ported: str = "-"
    clean: str = "-"
    agrees: str = "-"
    verified: str = "-"
    kind: str = ""
    runs: int = 0
    kernels: int = 0
    vectorised: str = ""
    modelled_us: str = ""
    bound_us: str = ""
    bound_ratio: str = ""
    reason: str = "not run"

    def fields(self) -> list[str]:
        return [str(getattr(self, field.name)) for field in dataclasses.fields(self)]


def yes(value: bool) -> str:
    return "yes" if value else "no"


def error_of(call: dict[str, Any]) -> tuple[str, str]:
    """Code and words of the error a call ended with."""
    json_text = call.get("json", {})
    error = json_text.get("error", json_text)
    if isinstance(error, dict) and "code" in error:
        place = error.get("place") or error.get("at") or {}
        file = pathlib.Path(str(place.get("file") or error.get("file") or "")).name
        line = place.get("line") or error.get("line")
        words = error.get("message") or error.get("detail") or ""
        return str(error["code"]), f"{file}:{line}: {words}" if file and line else str(words)
    said = str(call.get("said", ""))
    found = re.search(r"(?:([\w.-]+):(\d+):)?[^\n:]*: ([^\n]*) \[(kernel\.\w+)\]", said)
    return (found.group(4), said.splitlines()[0]) if found else ("", said[:200])


def ran_well(run: dict[str, Any]) -> bool:
    if "original" in run:
        return bool(run["original"]["exit"] == 0)
    return not run["verify"].get("json", {}).get("reason", "").startswith("the original itself")


def modelled(row: Row, result: dict[str, Any]) -> None:
    times = [kernel["modelled"] for kernel in result.get("explain", {}).get("json", {}).get("kernels", []) if kernel.get("modelled")]
    if not times:
        return
    total, bound = sum(time["us"] for time in times), sum(time["bound"]["us"] for time in times)
    row.modelled_us, row.bound_us = f"{total:.1f}", f"{bound:.2f}"
    row.bound_ratio = f"{total / bound:.1f}" if bound > 0 else ""


def row_of(chip: str, identity: str, result: dict[str, Any] | None) -> Row:
    row = Row(chip, identity)
    if result is None:
        return row
    runs = result["runs"]
    codes = {error_of(run["verify"])[0] for run in runs if run["verify"]["exit"] == 3}
    is_broken = "kernel.does_not_compile" in codes
    row.parsed = yes("kernel.no_kernel_source" not in codes and (not is_broken or all(ran_well(run) for run in runs)))
    row.emulated = yes(all(ran_well(run) for run in runs))
    row.ported = yes(all(run["verify"]["exit"] in (0, 1) for run in runs))
    row.runs = len(runs)
    row.reason = ""
    if row.ported == "no":
        bad = next(run["verify"] for run in runs if run["verify"]["exit"] not in (0, 1))
        row.reason = "not finished in its time" if bad["exit"] == 124 else error_of(bad)[1]
        if is_broken and row.parsed == "yes":
            row.reason = "the port does not compile: " + row.reason
        row.verified = "no"
        return row
    reports = [run["verify"].get("json", {}) for run in runs]
    row.verified = yes(all(report.get("verified") for report in reports))
    row.agrees = yes(all(report.get("verified") for report in reports))
    row.clean = yes(not any(finding.get("is_error", True) and finding.get("level", "error") == "error"
                            for report in reports for finding in report.get("findings", [])))
    row.kind = max((report.get("class", "") for report in reports), key="ERA".find)
    launched = [kernel for kernel in reports[0].get("kernels", []) if kernel["is_launched"] and not kernel["refusal"]]
    row.kernels = len(launched)
    shares = [kernel["vector_arithmetic_percent"] for kernel in launched]
    row.vectorised = f"{min(shares)} to {max(shares)}" if shares and min(shares) != max(shares) else str(shares[0]) if shares else ""
    for run, report in zip(runs, reports):
        if not report.get("verified"):
            arguments = " ".join(run["arguments"])
            row.reason = (f"with `{arguments}`: " if arguments else "") + report.get("reason", "")
            break
    modelled(row, result)
    return row


def earlier_rows(path: pathlib.Path) -> dict[tuple[str, str], Row]:
    """What earlier runs left, by chip and id."""
    if not path.exists():
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE, escapechar="\\"))[1:]
    rows = [Row(*fields) for fields in lines]  # type: ignore[arg-type]
    for row in rows:
        row.runs, row.kernels = int(row.runs), int(row.kernels)
    return {(row.chip, row.id): row for row in rows}


def named(chip: str) -> str:
    return f"{'Ascend C' if chip.startswith('ascend') else 'BANG C'}, emulated {chip}"


def section(rows: list[Row], chip: str) -> str:
    text = f"\n## {named(chip)}\n\n"
    text += "| program | parsed | emulated | ported | clean | agrees | class | runs | kernels | vectors do, % of arithmetic | modelled us | bound us | ratio |\n"
    text += "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
    for row in rows:
        text += f"| {row.id} | {row.parsed} | {row.emulated} | {row.ported} | {row.clean} | {row.agrees} | {row.kind} | {row.runs} | "
        text += f"{row.kernels} | {row.vectorised} | {row.modelled_us} | {row.bound_us} | {row.bound_ratio} |\n"
    text += "\nNot verified, and why:\n\n| program | reason |\n|---|---|\n"
    for row in rows:
        if row.verified != "yes":
            text += f"| {row.id} | {row.reason.replace('|', '/')} |\n"
    return text


def page(tables: dict[str, list[Row]]) -> str:
    text = (HERE / "introduction.md").read_text(encoding="utf-8")
    text += "\n## Sum\n\n| | programs | not run | parsed | run on the emulated NVIDIA card | ported | clean | verified |\n|---|---|---|---|---|---|---|---|\n"
    for chip, rows in tables.items():
        counts = [sum(getattr(row, name) == "yes" for row in rows) for name in ("parsed", "emulated", "ported", "clean")]
        verified, missing = sum(row.verified == "yes" for row in rows), sum(row.reason == "not run" for row in rows)
        text += f"| {named(chip)} | {len(rows)} | {missing} | {' | '.join(map(str, counts))} | **{verified}** |\n"
    return text + "".join(section(rows, chip) for chip, rows in tables.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=pathlib.Path, nargs="*")
    given = parser.parse_args()
    results: dict[str, dict[str, Any]] = {}
    for work in given.work:
        for path in sorted((work / "results").glob("*.json")):
            result = json.loads(path.read_text(encoding="utf-8"))
            results.setdefault(result["chip"], {})[result["id"]] = result
    earlier = earlier_rows(HERE / "results.tsv")
    chips = list(dict.fromkeys([*(chip for chip, _ in earlier), *results]))
    tables: dict[str, list[Row]] = {chip: [] for chip in chips}
    for chip, rows in tables.items():
        known = results.get(chip, {})
        for trial in read_trials(HERE / "trials.tsv"):
            before = earlier.get((chip, trial.id))
            rows.append(before if before and trial.id not in known else row_of(chip, trial.id, known.get(trial.id)))
    with open(HERE / "results.tsv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, escapechar="\\", lineterminator="\n")
        writer.writerow(COLUMNS)
        for rows in tables.values():
            for row in rows:
                writer.writerow([field.replace("\t", " ").replace("\n", " ") for field in row.fields()])
    (ROOT / "docs/kernel-port-trials.md").write_text(page(tables), encoding="utf-8")
    for chip, rows in tables.items():
        print(chip, sum(row.verified == "yes" for row in rows), "of", len(rows), "verified")
    return 0


if __name__ == "__main__":
    sys.exit(main())
