#!/usr/bin/env python3
"""Compares `starbridge scan` with CPython's own walk over the same files, in one run; also with LibCST and another tool's port.

    python3 bench/scan_vs_ast.py build/release/src/cli/starbridge TREE... [--python-only] [--repeat 5] [--to ascend-910b3]
        [--libcst] [--tool "python ms_fmk_transplt.py -i {input} -o {output} -v 2.7.1"]

Baseline: this interpreter reads every .py file, parses it with `ast`, walks the tree and tokenizes it; one process, one core.
Scan: the whole command, from start to the JSON in a file, over the whole tree, other kinds of files included; held to one core, then to
two. Every round runs all three one after the other, so that a busy machine slows all of them. CPU seconds are told beside the elapsed
ones: on a machine with other work only they are steady, and the ratio is given for both. With --python-only the Python files are
copied out first, so that both sides read the same; with --libcst that library parses and visits the files once, and with --tool the command
ports the tree once, beside `starbridge port` of the same tree. Without --python-only the scan also reads the tree's scripts, notebooks,
kernels and settings. Scans read every file anew, but for those of the unchanged tree.
"""

import argparse
import ast
import io
import os
import resource
import shlex
import shutil
import statistics
import subprocess
import tempfile
import time
import tokenize
import warnings
from pathlib import Path

SKIPPED = {"__pycache__", "node_modules", ".venv", "venv", "site-packages", ".tox", ".mypy_cache", ".ipynb_checkpoints", ".git", ".hg",
           ".svn"}


def python_files(tree):
    return [path for path in sorted(Path(tree).rglob("*.py"))
            if path.is_file() and not path.is_symlink() and not SKIPPED & set(path.relative_to(tree).parts)]


def walk_with_cpython(files):
    for path in files:
        data = path.read_bytes()
        try:
            for _ in ast.walk(ast.parse(data)):
                pass
            for _ in tokenize.tokenize(io.BytesIO(data).readline):
                pass
        except (SyntaxError, tokenize.TokenError, UnicodeDecodeError, ValueError, RecursionError):
            pass


def scan(binary, tree, chip, cores, *options):
    with tempfile.TemporaryFile() as output:
        subprocess.run([binary, "--json", "-q", "scan", str(tree), "--to", chip, *options], check=True, stdout=output,
                       env={**os.environ, "LANG": "C"}, preexec_fn=lambda: os.sched_setaffinity(0, cores))


def copy_python(tree, folder):
    for path in python_files(tree):
        target = Path(folder) / path.relative_to(tree)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def walk_with_libcst(files):
    import libcst  # no need of it without the option

    class Visitor(libcst.CSTVisitor):
        def on_visit(self, node):
            return True

    for path in files:
        try:
            libcst.parse_module(path.read_bytes()).visit(Visitor())
        except (libcst.ParserSyntaxError, UnicodeDecodeError, RecursionError):
            pass


def port(binary, tree, chip):
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run([binary, "-q", "port", str(tree), "--to", chip, "-o", folder + "/out"], stdout=subprocess.DEVNULL,
                                preexec_fn=lambda: os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1]))
        assert result.returncode in (0, 1), f"the port ended with code {result.returncode}"


def run_tool(command, tree):
    with tempfile.TemporaryDirectory() as folder:
        words = [word.format(input=tree, output=folder) for word in shlex.split(command)]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def cpu_seconds():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class Clock:
    """Elapsed and CPU seconds of an action, of this process and its children."""

    def __init__(self):
        self.elapsed, self.cpu = [], []

    def time(self, action):
        before, begin = cpu_seconds(), time.perf_counter()
        action()
        self.elapsed.append(time.perf_counter() - begin)
        self.cpu.append(cpu_seconds() - before)

    def describe(self, lines):
        best = min(self.elapsed)
        return (f"{best:7.3f} s elapsed (median {statistics.median(self.elapsed):.3f}, to {max(self.elapsed):.3f}), "
                f"{min(self.cpu):7.3f} s CPU, {lines / min(self.cpu) / 1e6:6.2f} M lines per CPU second")


def measure(arguments, tree, title):
    files = python_files(tree)
    lines = sum(path.read_bytes().count(b"\n") for path in files)  # and every file is in memory now
    cores = sorted(os.sched_getaffinity(0))
    one, two, again, baseline = Clock(), Clock(), Clock(), Clock()
    scan(arguments.binary, tree, arguments.to, cores)  # fills the cache for the scans of an unchanged tree
    for _ in range(arguments.repeat):
        one.time(lambda: scan(arguments.binary, tree, arguments.to, cores[:1], "--no-cache"))
        two.time(lambda: scan(arguments.binary, tree, arguments.to, cores[:2], "--no-cache"))
        again.time(lambda: scan(arguments.binary, tree, arguments.to, cores[:2]))
        if len(baseline.elapsed) < arguments.baseline_repeat:
            baseline.time(lambda: walk_with_cpython(files))
    peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{title}: {len(files)} Python files, {lines} lines")
    print(f"  ast + tokenize   {baseline.describe(lines)}")
    print(f"  scan, one core   {one.describe(lines)}")
    if len(cores) > 1:
        print(f"  scan, two cores  {two.describe(lines)}")
    print(f"  unchanged tree   {again.describe(lines)}")
    print(f"  ratio            one core {min(baseline.elapsed) / min(one.elapsed):.1f} elapsed, "
          f"{min(baseline.cpu) / min(one.cpu):.1f} CPU; two cores {min(baseline.elapsed) / min(two.elapsed):.1f} elapsed"
          f"; peak memory so far {peak_mb:.0f} MB")
    if arguments.libcst:
        walk = Clock()
        walk.time(lambda: walk_with_libcst(files))
        print(f"  LibCST           {walk.describe(lines)}; the scan on one core is {min(walk.cpu) / min(one.cpu):.0f} times as fast in CPU seconds")
    if arguments.tool:
        own, other = Clock(), Clock()
        other.time(lambda: run_tool(arguments.tool, tree))
        for _ in range(arguments.repeat):
            own.time(lambda: port(arguments.binary, tree, arguments.to))
        print(f"  port, one core   {own.describe(lines)}")
        print(f"  the other tool   {other.describe(lines)}; the port is {min(other.cpu) / min(own.cpu):.0f} times as fast in CPU seconds, "
              f"{min(other.elapsed) / min(own.elapsed):.0f} elapsed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("trees", nargs="+", metavar="TREE")
    parser.add_argument("--python-only", action="store_true", help="leave the other kinds of files out")
    parser.add_argument("--repeat", type=int, default=5, help="rounds of the scans")
    parser.add_argument("--baseline-repeat", type=int, default=3, help="rounds of the baseline, at most")
    parser.add_argument("--libcst", action="store_true", help="also LibCST's parse and visit of the same files")
    parser.add_argument("--tool", metavar="COMMAND", help="another tool's port of {input} into {output}")
    parser.add_argument("--to", default="ascend-910b3", help="chips to scan for")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for tree in arguments.trees:
        title = Path(tree).resolve().name
        if not arguments.python_only:
            measure(arguments, tree, title)
            continue
        with tempfile.TemporaryDirectory() as folder:
            copy_python(tree, folder)
            measure(arguments, folder, title + ", Python files only")


if __name__ == "__main__":
    main()
