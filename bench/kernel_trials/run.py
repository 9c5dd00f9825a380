#!/usr/bin/env python3
"""Takes public CUDA programs through the kernel porter and says how far each gets.

    bench/kernel_trials/run.py TREES --work FOLDER [--only PATTERN] [--starbridge BIN] [--chip CHIP] [--seeds N]
                                 [--no-times]

TREES holds fetched trees, one folder per repository; nothing is fetched here. Rows are in trials.tsv beside this file: which folders of the
tree a program needs, what is cut down in a copy of them (text by text, each of which must be there), options and arguments. For each: the
`kernel verify` with every set of arguments (where the porter refuses, the original alone), `kernel explain`. Results are kept in FOLDER/results, one
file per row, so that a part can be run again; table.py makes the tables. Each chip wants a FOLDER of its own.
"""
from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
from trial_rows import read_rows
FIELDS = ("id", "repository", "folders", "source", "edits", "options", "arguments")
BETWEEN = ";;"


@dataclasses.dataclass(frozen=True)
class Trial:
    id: str
    repository: str
    folders: str  # of the tree, copied; joined by spaces
    source: str
    edits: str  # [FILE: ]OLD => NEW, joined by ;;
    options: str  # of run, verify and explain; {tree} is the copy
    arguments: str  # of the program, one set per run, joined by ;;

    def runs(self) -> list[list[str]]:
        return [shlex.split(one) for one in self.arguments.split(BETWEEN)]


@dataclasses.dataclass(frozen=True)
class Tools:
    starbridge: str
    trees: pathlib.Path
    work: pathlib.Path
    chip: str
    seeds: int
    limit_s: int
    models: bool


def read_trials(path: pathlib.Path) -> list[Trial]:
    return [Trial(*row) for row in read_rows(path, FIELDS, FIELDS[:4])]


def copied(trial: Trial, tools: Tools) -> pathlib.Path:
    """The program's folders with its sizes cut down."""
    tree = tools.work / "trees" / trial.id
    shutil.rmtree(tree, ignore_errors=True)
    for folder in trial.folders.split():
        shutil.copytree(tools.trees / trial.repository / folder, tree / folder)
    for edit in filter(None, (one.strip() for one in trial.edits.split(BETWEEN))):
        old, arrow, new = edit.partition(" => ")
        file, colon, text = old.partition(": ")
        path = tree / (pathlib.Path(trial.source).parent / file if colon else trial.source)
        old = text if colon else old
        content = path.read_text(encoding="utf-8")
        if not arrow or old not in content:
            raise SystemExit(f"{trial.id}: {path.name} does not hold {old!r}")
        path.write_text(content.replace(old, new), encoding="utf-8")
    return tree


def call(tools: Tools, verb: str, source: pathlib.Path, options: list[str], arguments: list[str]) -> dict[str, Any]:
    words = [tools.starbridge, "--json", "kernel", verb, str(source), *options]
    if arguments:
        words += ["--", *arguments]
    begun = time.monotonic()
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=tools.limit_s * 8, check=False)
    except subprocess.TimeoutExpired:
        return {"exit": 124, "seconds": round(time.monotonic() - begun, 1)}
    result: dict[str, Any] = {"exit": done.returncode, "seconds": round(time.monotonic() - begun, 1)}
    for text in (done.stdout, done.stderr):
        start = text.find("{")
        if start >= 0:
            try:
                result["json"] = json.loads(text[start:])
                break
            except json.JSONDecodeError:
                continue
    if "json" not in result:
        result["said"] = (done.stderr or done.stdout)[-600:]
    return result


def run_one(trial: Trial, tools: Tools) -> dict[str, Any]:
    tree = copied(trial, tools)
    source = tree / trial.source
    options = shlex.split(trial.options.replace("{tree}", str(tree)))
    limit = ["--time-limit", str(tools.limit_s), "--in", str(source.parent)]
    plain = [word for word in options if word != "--double-as-float"]
    ports = [*options, "--to", tools.chip]
    out = tools.work / "ports" / trial.id
    shutil.rmtree(out, ignore_errors=True)
    result: dict[str, Any] = {"id": trial.id, "chip": tools.chip, "runs": []}
    for arguments in trial.runs():
        one: dict[str, Any] = {"arguments": arguments}
        one["verify"] = call(tools, "verify", source, [*ports, *limit, "--seeds", str(tools.seeds), "-o", str(out)], arguments)
        result["runs"].append(one)
        if one["verify"]["exit"] not in (0, 1):  # verify has not come to running the original
            one["original"] = call(tools, "run", source, [*plain, *limit], arguments)
            break
    if tools.models and any(one["verify"]["exit"] == 0 for one in result["runs"]):
        result["explain"] = call(tools, "explain", source, [*ports, *limit], trial.runs()[0])
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trees", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="", help="pattern of ids")
    parser.add_argument("--starbridge", default=str(ROOT / "bin/starbridge"))
    parser.add_argument("--chip", default="mlu370-x8")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--no-times", action="store_true", help="leave out the modelled times, which take a second port")
    parser.add_argument("--limit", type=int, default=60, help="seconds each run may take")
    given = parser.parse_args()
    tools = Tools(given.starbridge, given.trees.resolve(), given.work.resolve(), given.chip, given.seeds, given.limit,
                  not given.no_times)
    (tools.work / "results").mkdir(parents=True, exist_ok=True)
    for trial in read_trials(HERE / "trials.tsv"):
        if not re.search(given.only, trial.id):
            continue
        result = run_one(trial, tools)
        (tools.work / "results" / f"{trial.id}.json").write_text(json.dumps(result, indent=1), encoding="utf-8")
        print(trial.id, *(one["verify"]["exit"] for one in result["runs"]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
