#!/usr/bin/env python3
"""The table of docs/ascend-trials.md from what run.py found.

    bench/ascend_trials/table.py WORK [--introduction FILE]     # prints Markdown
"""
import argparse
import collections
import json
import pathlib

SETS = {"ops-kernelbench-910b": ("KernelBench", 165), "ops-attention-910b": ("Attention", 58), "ops-mhc-910b": ("Hyper-connections", 15)}
ORDER = ("agrees", "agrees in a sample", "differs", "refuses sizes", "own sizes only", "not called", "time limit", "failed", "does not compile", "no reference")
CALLED = ("differs", "failed", "does not compile", "time limit")  # and not in agreement


def read(path):
    """The last result of each operator."""
    if not path.exists():
        return {}
    return {row["op"]: row for row in map(json.loads, path.read_text().splitlines())}


def figure(value):
    return "0" if value == 0 else f"{value:.1e}"


def check_cell(row):
    if row is None or "findings" not in row:
        return "-"
    rules = sorted({rule for severity, rule, *_ in row["findings"] if severity == "error"})
    return ", ".join(f"`{rule}`" for rule in rules) if rules else "clean"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--introduction", type=pathlib.Path, default=pathlib.Path(__file__).with_name("introduction.md"))
    options = parser.parse_args()
    runs, checks = read(options.work / "run.jsonl"), read(options.work / "check.jsonl")
    print(options.introduction.read_text().rstrip())
    shown = sum(row["status"].startswith("agrees") for row in runs.values())
    called = shown + sum(row["status"] in CALLED for row in runs.values())
    print(f"\n**{len(runs)} of 238 operators were tried so far. Of the {called} that could be called, {shown} agree.**")
    formulas = sum(row["status"].startswith("agrees") and row.get("part", False) for row in runs.values())
    if formulas:
        print(f"\nOf the {shown}, {shown - formulas} are compared with the collection's own reference and {formulas} with the formula of `parts.py`.")
    print("\n## By set\n\n| set | tried of | " + " | ".join(ORDER) + " |\n|---|---|" + "---|" * len(ORDER))
    for folder, (title, size) in SETS.items():
        counted = collections.Counter(row["status"] for row in runs.values() if row["set"] == folder)
        print(f"| {title} | {sum(counted.values())} of {size} | " + " | ".join(str(counted[status]) for status in ORDER) + " |")
    print("\n## Operator by operator\n\nDifference: the largest |got - wanted| / max(1, |wanted|). Sizes: own (as the reference names them) or cut down.\n")
    print("| operator | result | compared with | difference | written | sizes | blocks | run ms | check |\n|---|---|---|---|---|---|---|---|---|")
    for name, row in sorted(runs.items()):
        if not row["status"].startswith("agrees"):
            continue
        blocks = f"{row['sample']}" if row["sample"] else "all"
        print(f"| {name.removesuffix('Custom')} | {row['status']} | {'formula' if row.get('part') else 'reference'} | {figure(row['off'])} | {100 * row['written']:.0f} % | {'cut down' if row['cut_down'] else 'own'} "
              f"| {blocks} | {row['run_ms']} | {check_cell(checks.get(name))} |")
    others = [(name, row) for name, row in sorted(runs.items()) if row["status"] in CALLED]
    if others:
        print("\n## Called, and not in agreement\n\n| operator | result | difference | written |\n|---|---|---|---|")
    for name, row in others:
        off, written = (figure(row["off"]), f"{100 * row['written']:.0f} %") if "off" in row else ("-", "-")
        print(f"| {name.removesuffix('Custom')} | {row['status']} | {off} | {written} |")


if __name__ == "__main__":
    main()
