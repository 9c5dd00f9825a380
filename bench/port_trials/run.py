#!/usr/bin/env python3
"""Runs programs and tests of public projects as they are (on the reference) and ported (on the emulated devices), and says what agrees.

    bench/port_trials/run.py TREES --work FOLDER [--only PATTERN] [--python PY] [--starbridge BIN]

TREES holds fetched trees, one folder per repository; nothing is fetched here. Rows are in trials.tsv beside this file: what is
prepared in a copy of the tree, and the command that `starbridge verify` runs in the copy and in its port. Results are kept in
FOLDER/results, one file per row, chip and style, so that a part can be run again.
"""
from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
from trial_rows import read_rows
EVERY = "ascend-910b3,ascend-910b3/plug-in,mlu370-x8,mlu370-x8/plug-in"
FIELDS = ("id", "repository", "path", "runs", "prepare", "command", "cause")


@dataclasses.dataclass(frozen=True)
class Trial:
    id: str
    repository: str
    path: str  # folders put on PYTHONPATH, relative to the tree, joined by ":"
    runs: str  # CHIP or CHIP/STYLE, joined by ","; EVERY when empty
    prepare: str  # shell commands run once in the copy of the tree; @ stands for make_data.py
    command: str  # @tests: selected_tests.py; @notebook: run_notebook.py
    cause: str  # of a difference, for the table


@dataclasses.dataclass(frozen=True)
class Tools:
    starbridge: str
    python: str
    trees: pathlib.Path
    work: pathlib.Path
    timeout_s: int


def read_trials(path: pathlib.Path) -> list[Trial]:
    return [Trial(*row) for row in read_rows(path, FIELDS, ("id", "command"))]


def prepare(tools: Tools, trial: Trial) -> pathlib.Path:
    """The copy of the tree with the data in it that the row needs."""
    source, copy = tools.trees / trial.repository, tools.work / "original" / trial.repository
    if not copy.exists():
        if not source.is_dir():
            raise FileNotFoundError(f"{source}: the tree is not there")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    done = tools.work / "prepared" / trial.repository
    done.mkdir(parents=True, exist_ok=True)
    for part in filter(None, (step.strip() for step in trial.prepare.split(";;"))):
        mark = done / re.sub(r"\W+", "_", part)[:150]
        if not mark.exists():
            command = part.replace("@", f"{shlex.quote(tools.python)} {shlex.quote(str(HERE / 'make_data.py'))}")
            subprocess.run(command, shell=True, check=True, cwd=copy, env={**os.environ, "PYTHON": tools.python, "OMP_NUM_THREADS": "1"}, timeout=600)
            mark.touch()
            for port in (tools.work / "ports").glob(f"*/{trial.repository}"):
                shutil.rmtree(port)  # made before this data was there
    return copy


def port(tools: Tools, trial: Trial, original: pathlib.Path, chip: str, style: str) -> pathlib.Path:
    if style == "plug-in":
        return original
    copy = tools.work / "ports" / f"{chip}-{style}" / trial.repository
    if not copy.exists():
        copy.parent.mkdir(parents=True, exist_ok=True)
        command = [tools.starbridge, "--json", "port", str(original), "--to", chip, "--style", style, "-o", str(copy)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=tools.timeout_s)
        if not copy.exists():
            raise RuntimeError(f"the port failed: {done.stderr[-500:]}")
        findings = tools.work / "findings" / f"{chip}-{style}"
        findings.mkdir(parents=True, exist_ok=True)
        (findings / f"{trial.repository}.json").write_text(done.stdout)
    return copy


def plug_in_folder(tools: Tools) -> pathlib.Path:
    """What pip would install: the entry point by which `import torch` finds starbridge_torch."""
    info = tools.work / "plug-in" / "starbridge_torch-0.dist-info"
    if not info.exists():
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: starbridge-torch\nVersion: 0\n")
        (info / "entry_points.txt").write_text("[torch.backends]\nstarbridge_torch = starbridge_torch_start.autoload:load\n")
    return info.parent


def run(tools: Tools, trial: Trial, chip: str, style: str) -> dict[str, Any]:
    original = prepare(tools, trial)
    ported = port(tools, trial, original, chip, style)
    outcomes = tools.work / "outcomes"
    outcomes.mkdir(exist_ok=True)
    path = ":".join(f"$PWD/{part}" for part in trial.path.split(":") if part)
    folder = os.path.dirname(tools.python)
    tests, notebook = shlex.quote(str(HERE / "selected_tests.py")), shlex.quote(str(HERE / "run_notebook.py"))
    script = trial.command.replace("@tests", f"python {tests} -q -p no:cacheprovider").replace("@notebook", f"python {notebook}")
    script = f'export PATH={shlex.quote(folder)}:$PATH PYTHONPATH="{path}:$PYTHONPATH"; {script}'
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRIAL_REFERENCE": str(outcomes / f"{trial.id}.jsonl"),
                   "TRIAL_PORT": str(outcomes / f"{trial.id}.{chip}.{style}.jsonl")}
    if style == "plug-in":
        environment.update(STARBRIDGE_TORCH="1", PYTHONPATH=f"{plug_in_folder(tools)}:{ROOT / 'python' / 'starbridge_torch'}")
    command = [tools.starbridge, "--json", "verify", str(original), str(ported), "--to", chip, "--timeout", str(tools.timeout_s)]
    # The original runs once per trial, whatever the number of chips and styles.
    kept = tools.work / "kept" / trial.id
    if (kept / "original" / "run.json").exists():
        command += ["--original-run", str(kept)]
    else:
        shutil.rmtree(kept, ignore_errors=True)
        command += ["--keep", str(kept)]
    done = subprocess.run([*command, "--", "bash", "-c", script], capture_output=True, text=True, cwd=tools.work, env=environment)
    shutil.rmtree(kept / "port", ignore_errors=True)
    result: dict[str, Any] = {"id": trial.id, "chip": chip, "style": style, "exit_code": done.returncode}
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        report = {}
    if "port_exit_code" in report:
        result["verify"] = report
    else:
        result["error"] = (done.stdout + done.stderr)[-6000:]
    return result


def outcome(result: dict[str, Any]) -> str:
    """reference failed | nothing compared | port failed | differs | agrees"""
    if "verify" not in result:
        error = str(result.get("error", ""))
        return "nothing compared" if "nothing_to_compare" in error else "reference failed" if "original_failed" in error else "error"
    report = result["verify"]
    if report["port_exit_code"] != 0:
        return "port failed"
    return "agrees" if report["agrees"] else "differs"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for copies, ports and results")
    parser.add_argument("--trials", type=pathlib.Path, default=HERE / "trials.tsv")
    parser.add_argument("--only", default="", help="regular expression on ID.CHIP.STYLE")
    parser.add_argument("--python", default=sys.executable, help="a Python with PyTorch 2.13 and what the projects import")
    parser.add_argument("--starbridge", default=str(ROOT / "bin" / "starbridge"))
    parser.add_argument("--timeout", type=int, default=240, help="seconds for each of the two runs of a row")
    parser.add_argument("--again", action="store_true", help="run rows that have a result already")
    options = parser.parse_args()
    tools = Tools(str(pathlib.Path(options.starbridge).absolute()), str(pathlib.Path(options.python).absolute()), options.trees.resolve(), options.work.resolve(), options.timeout)
    trials = read_trials(options.trials)
    results = tools.work / "results"
    results.mkdir(parents=True, exist_ok=True)
    bad = 0
    for trial in trials:
        has_run = False
        for entry in (trial.runs or EVERY).split(","):
            chip, _, style = entry.partition("/")
            style = style or "vendor"
            name = f"{trial.id}.{chip}.{style}"
            path = results / f"{name}.json"
            if not re.search(options.only, name) or (path.exists() and not options.again):
                continue
            has_run = True
            try:
                result = run(tools, trial, chip, style)
            except (OSError, RuntimeError, subprocess.SubprocessError) as error:
                result = {"id": trial.id, "chip": chip, "style": style, "exit_code": -1, "error": str(error)}
            path.write_text(json.dumps(result, indent=1))
            said = outcome(result)
            bad += said != "agrees"
            print(f"{name}: {said}", flush=True)
        if has_run:  # what another run of this script keeps at the moment is not ours to remove
            shutil.rmtree(tools.work / "kept" / trial.id, ignore_errors=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
