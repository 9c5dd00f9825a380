#!/usr/bin/env python3
"""Compares `starbridge scan` with CPython's own walk over the same files, in one run.

    python3 bench/scan_vs_ast.py build/release/src/cli/starbridge TREE [--repeat 3]

The baseline parses every .py file with `ast`, walks the tree and tokenizes it. Prints both times, the ratio, the spread and the peak memory.
"""

import argparse
import ast
import io
import os
import resource
import subprocess
import time
import tokenize
import warnings
from pathlib import Path


def walk_with_cpython(files):
    for path in files:
        data = path.read_bytes()
        try:
            for _ in ast.walk(ast.parse(data)):
                pass
            for _ in tokenize.tokenize(io.BytesIO(data).readline):
                pass
        except (SyntaxError, tokenize.TokenError, UnicodeDecodeError, ValueError):
            pass


def timed(action, repeat):
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("tree")
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    files = [path for path in Path(arguments.tree).rglob("*.py") if path.is_file() and not path.is_symlink()]
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    environment = {**os.environ, "LANG": "C"}
    scan = timed(lambda: subprocess.run([arguments.binary, "--json", "-q", "scan", arguments.tree, "--to", "ascend-910b3"], check=True, stdout=subprocess.DEVNULL, env=environment), arguments.repeat)
    peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    baseline = timed(lambda: walk_with_cpython(files), 1)
    print(f"{len(files)} files, {lines} lines")
    print(f"starbridge scan   {min(scan):.3f} s (spread {min(scan):.3f} to {max(scan):.3f}), {lines / min(scan) / 1e6:.2f} M lines/s, peak {peak_mb:.0f} MB")
    print(f"ast + tokenize    {baseline[0]:.3f} s")
    print(f"ratio             {baseline[0] / min(scan):.1f}")


if __name__ == "__main__":
    main()
