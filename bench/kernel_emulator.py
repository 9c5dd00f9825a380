#!/usr/bin/env python3
"""Emulated CUDA kernels and vector instructions of BANG C and Ascend C against the same loop in plain C++, checkers off and on, in one run.

    python3 bench/kernel_emulator.py build/dev/src/cli/starbridge

Baseline: the plain loop, compiled by the same clang at -O2 in the same program. Emulation uses every core; the check uses one."""

import subprocess
import sys
from pathlib import Path

PROGRAMS = [Path(__file__).with_name("kernel_emulator" + ending) for ending in (".cu", ".mlu", ".asc")]


def ratios(starbridge, verb, program, *arguments):
    done = subprocess.run([starbridge, "kernel", verb, str(program), "--", *arguments], capture_output=True, text=True, check=False)
    rows = [line.split() for line in done.stdout.splitlines() if len(line.split()) == 4]
    if len(rows) < 4:
        sys.exit(f"{verb} gave no figures:\n{done.stdout}{done.stderr}")
    return {name: (float(ratio), float(emulated), float(plain)) for name, ratio, emulated, plain in rows}


def main():
    starbridge = sys.argv[1] if len(sys.argv) > 1 else "build/dev/src/cli/starbridge"
    print(f"{'kernel':15} {'run/plain':>10} {'check/plain':>12} {'run ms':>9} {'plain ms':>9}")
    for program in PROGRAMS:
        run = ratios(starbridge, "run", program)
        check = ratios(starbridge, "check", program, "small")
        for name, (ratio, emulated, plain) in run.items():
            print(f"{name:15} {ratio:10.2f} {check[name][0]:12.1f} {emulated:9.2f} {plain:9.2f}")


if __name__ == "__main__":
    main()
