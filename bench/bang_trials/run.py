#!/usr/bin/env python3
"""Runs the vendor's BANG C kernels beside mmcv's CUDA kernels of the same operators and compares what they compute.

  bench/bang_trials/run.py --mmcv DIR --mlu-ops DIR --output DIR [--starbridge FILE] [DRIVER...]

Each driver of twins.tsv is run three times, the kernels unmodified: the CUDA kernel on the emulated NVIDIA card, the same in double (the
reference), and the BANG C kernel in a check on the emulated Cambricon chip. OUTPUT/results.json has everything; what is printed is the
table of docs/bang-trials.md. Exit code 1 when a twin does not agree."""

import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SIDES = ("cuda", "double", "mlu")
# Every case is drawn evenly; the first also with features that are zeros, denormal or large.
OTHER_INPUTS = ("zeros", "tiny", "large")


@dataclass(frozen=True)
class Twin:
    driver: str
    operator: str
    cuda: str
    mlu: str
    chip: str
    exact: tuple
    others: str
    cases: tuple

    def accuracy(self, output):
        return "exact" if output in self.exact else self.others

    def arguments(self):
        """Cases as the program takes them."""
        drawn = [(str(7 + i), "uniform", sizes) for i, sizes in enumerate(self.cases)]
        drawn += [("7", inputs, self.cases[0]) for inputs in OTHER_INPUTS]
        words = [word for seed, inputs, sizes in drawn for word in (seed, inputs, *sizes.split(), ",")]
        return words[:-1]


def read_twins():
    for line in (HERE / "twins.tsv").read_text().splitlines():
        if not line.startswith("#"):
            driver, operator, cuda, mlu, chip, exact, others, cases = line.split("\t")
            yield Twin(driver, operator, cuda, mlu, chip, tuple(exact.split()), others, tuple(cases.split("; ")))


@dataclass
class Result:
    findings: list = field(default_factory=list)
    rows: list = field(default_factory=list)  # of kernel compare, with case and output
    failure: str = ""
    milliseconds: dict = field(default_factory=dict)


class Runner:
    def __init__(self, options):
        self.options = options
        self.environment = {**os.environ, "STARBRIDGE_ROOT": str(ROOT)}

    def starbridge(self, *words):
        done = subprocess.run([self.options.starbridge, "kernel", *map(str, words)], capture_output=True, text=True, env=self.environment)
        try:
            return done.returncode, json.loads(done.stdout)
        except json.JSONDecodeError:
            return done.returncode, {"message": (done.stdout + done.stderr)[-600:]}

    def run_side(self, twin, side, folder):
        program = folder / f"{twin.driver}.{'mlu' if side == 'mlu' else 'cu'}"
        program.write_text(f'#include "drivers/{twin.driver}.cu"\n')
        csrc = self.options.mmcv / "mmcv/ops/csrc/common"
        if side == "mlu":
            vendor = self.options.mlu_ops
            includes = [HERE / "shims/mlu", vendor, vendor / "kernels", (vendor / twin.mlu).parent]
            machine = ["check", "-D", "TWIN_MLU", "--chip", twin.chip]
        else:
            includes = [HERE / "shims/cuda", csrc / "cuda", csrc]
            machine = ["run"] + (["-D", "TWIN_DOUBLE"] if side == "double" else [])
        verb, *rest = machine
        flags = [word for include in [HERE, *includes] for word in ("-I", include)]
        return self.starbridge(verb, "--json", program, *rest, *flags, "--time-limit", 300, "--", folder, *twin.arguments())

    def run(self, twin):
        folder = self.options.output / twin.driver
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        result = Result()
        has_reference = twin.others == "reordered"  # the other classes need none, and not every CUDA kernel takes doubles
        for side in SIDES if has_reference else ("cuda", "mlu"):
            _, report = self.run_side(twin, side, folder)
            if report.get("exit_code") != 0:
                result.failure = f"{side}: {report.get('message') or report.get('output', '')[-300:]} {report.get('place', '')}"
                result.findings = report.get("findings", [])
                return result
            result.milliseconds[side] = report.get("run_ms")
            if side == "mlu":
                result.findings = report["findings"]
        for golden in sorted(folder.glob("cuda.*.npy")):
            _, case, output, _ = golden.name.split(".")
            accuracy = twin.accuracy(output)
            other, reference = (folder / f"{side}.{case}.{output}.npy" for side in ("mlu", "double"))
            _, report = self.starbridge("compare", "--json", "--class", accuracy, *(("--reference", reference) if has_reference else ()), golden, other)
            if "results" not in report:
                result.failure = f"{output}: {report}"
                return result
            result.rows += [{"case": int(case), "output": output, "class": accuracy, **row} for row in report["results"]]
        return result


def worst(rows, name, side="figures"):
    return max((row[side][name] for row in rows if side in row), default=0)


HEAD = ("twin", "CUDA kernel", "BANG C kernel", "agrees", "class", "cases", "numbers", "largest error", "diff1", "MARE", "MARE of CUDA, of BANG C to double", "findings")


def table_row(twin, result):
    kernels = [twin.driver, f"`{twin.cuda}`", f"`{twin.mlu.removeprefix('kernels/')}`"]
    if result.failure:
        return [*kernels, f"**{result.failure}**"] + [""] * (len(HEAD) - 4)
    agrees = all(row["agrees"] for row in result.rows)
    classes = {row["class"][0].upper() for row in result.rows}
    rules = {}
    for finding in result.findings:
        rules.setdefault(f"{finding['rule']} ({finding['severity']})", set()).add(f"{Path(finding['at']['file']).name}:{finding['at']['line']}")
    found = "; ".join(f"{rule} {', '.join(sorted(places)[:3])}" for rule, places in sorted(rules.items())) or "-"
    # Large inputs have large errors; relative figures count all cases.
    largest = max((row["figures"]["diff3_absolute"] for row in result.rows if row["case"] < len(twin.cases)), default=0)
    has_reference = any("left_to_reference" in row for row in result.rows)
    own = [f"{worst(result.rows, 'mare', side):.1e}" for side in ("left_to_reference", "right_to_reference")] if has_reference else ["-"]
    return [
        *kernels,
        "yes" if agrees else "**no**",
        " ".join(sorted(classes)),
        len(twin.cases) + len(OTHER_INPUTS),
        sum(row["figures"]["count"] for row in result.rows),
        f"{largest:.1e}",
        f"{worst(result.rows, 'diff1'):.1e}",
        f"{worst(result.rows, 'mare'):.1e}",
        ", ".join(own),
        found,
    ]


def print_row(cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mmcv", type=Path, required=True)
    parser.add_argument("--mlu-ops", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--starbridge", default=str(ROOT / "build/dev/src/cli/starbridge"))
    parser.add_argument("drivers", nargs="*", metavar="DRIVER", help="of twins.tsv; default: all")
    options = parser.parse_args()
    for name in ("mmcv", "mlu_ops", "output"):
        setattr(options, name, getattr(options, name).resolve())
    twins = list(read_twins())
    unknown = set(options.drivers) - {twin.driver for twin in twins}
    if unknown:
        parser.error(f"twins.tsv has no {', '.join(sorted(unknown))}")
    runner, results, all_agree = Runner(options), {}, True
    print_row(HEAD)
    print("|" + "---|" * len(HEAD))
    for twin in twins:
        if options.drivers and twin.driver not in options.drivers:
            continue
        result = runner.run(twin)
        results[twin.driver] = vars(result)
        all_agree = all_agree and not result.failure and all(row["agrees"] for row in result.rows)
        print_row(table_row(twin, result))
    (options.output / "results.json").write_text(json.dumps(results, indent=1))
    return 0 if all_agree else 1


if __name__ == "__main__":
    sys.exit(main())
