#!/usr/bin/env python3
"""Ports whole trees and checks what a port promises of every tree; prints the tables of docs/port-accuracy.md.

    python3 bench/port_trees.py BINARY TREE... [--to ascend-910b3] [--ported]

Each tree is ported into a temporary folder. Then
  edits        `tools/check_port_edits.py`, from CPython's tokens and syntax trees: comments, docstrings, paths, printed and logged texts,
               names of the project's own, frames of notebooks; and whether every changed file that was Python 3 parses
  idempotent   a port of the port changes nothing
  reversible   `port --reverse` gives every byte back
With --ported the trees are projects that support the chip already: of their device sites in Python (device texts, variables, methods,
attributes and modules that name CUDA or NCCL, by CPython's tokens) those that were edited are counted; all of them are taken for false.
Exit code 1 when a tree breaks a promise.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from port_sites import replaced
from port_sites_tokens import CODE_KINDS, NAMED, files_of, kind_of, tokens_of, units_of

CHECK = Path(__file__).resolve().parent.parent / "tools" / "check_port_edits.py"
RECORD = ".starbridge-port.json"


def run(command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "LANG": "C"})


def port(binary, tree, chip, output):
    begin = time.perf_counter()
    result = run([binary, "--quiet", "port", tree, "--to", chip, "-o", output])
    if result.returncode > 1:  # 1: ported, and something is left to be done by hand
        sys.exit(f"the port of {tree} ended with code {result.returncode}: {result.stderr.decode(errors='replace').strip()}")
    return time.perf_counter() - begin


def contents(tree):
    return {path.relative_to(tree).as_posix(): os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
            for path in Path(tree).rglob("*") if path.is_symlink() or path.is_file()}


def differences(left, right):
    """Paths whose bytes differ, but for the repository's own data and the record of the port."""
    left, right = contents(left), contents(right)
    return sorted(name for name in left.keys() | right.keys()
                  if left.get(name) != right.get(name) and name != RECORD and not name.startswith(".git/"))


def promise(binary, tree, chip, folder):
    output = Path(folder) / tree.name
    seconds = port(binary, tree, chip, output)
    check = run([sys.executable, CHECK, tree, output])
    *problems, summary = check.stdout.decode(errors="replace").strip().splitlines() or [check.stderr.decode(errors="replace").strip()]
    words = summary.split()
    unparsed = sum("does not parse" in problem for problem in problems)
    again = run([binary, "--quiet", "port", output, "--to", chip, "--patch"]).stdout
    edited = len(differences(tree, output))
    run([binary, "--quiet", "port", output, "--reverse"])
    left = differences(tree, output)
    lines = sum(path.read_bytes().count(b"\n") for path in files_of(tree) if path.suffix == ".py")
    row = [tree.name, f"{lines:,}", f"{edited:,}", words[5] if len(words) > 5 else "?", str(len(problems) - unparsed), "yes" if not unparsed else str(unparsed),
           "yes" if not again.strip() else f"{len(again):,} bytes", "yes" if not left else f"{len(left)} files differ", f"{seconds:.2f}"]
    for problem in problems + left:
        print(f"{tree.name}: {problem}", file=sys.stderr)
    return row, check.returncode == 0 and not again.strip() and not left


def false_edits(binary, tree, chip, folder):
    output = Path(folder) / tree.name
    port(binary, tree, chip, output)
    sites = edited = 0
    for path in files_of(tree):
        new = output / path.relative_to(tree)
        is_same = path.read_bytes() == new.read_bytes()
        if not NAMED.search(path.read_bytes().decode(errors="replace")):
            continue
        for (_, text), (_, new_text) in zip(units_of(path), units_of(new)):
            tokens, changes = (tokens_of(text), {}) if is_same else replaced(text, new_text)
            named = [index for index, token in enumerate(tokens) if NAMED.search(token.text) and kind_of(tokens, index) in CODE_KINDS]
            sites += len(named)
            edited += sum(index in changes for index in named)
    others = [name for name in differences(tree, output) if not name.endswith((".py", ".ipynb"))]
    row = [tree.name, f"{sites:,}", str(edited), f"{100 * edited / max(sites, 1):.2f} %", f"{len(others):,}"]
    return row, edited < 0.01 * sites or not edited


def print_row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path)
    parser.add_argument("trees", nargs="+", type=Path, metavar="TREE")
    parser.add_argument("--to", default="ascend-910b3", help="the chip")
    parser.add_argument("--ported", action="store_true", help="the trees support the chip already: count what is edited all the same")
    arguments = parser.parse_args()
    head = ["tree", "device sites in Python", "edited", "share", "other files with edits"] if arguments.ported else \
        ["tree", "lines of Python", "files edited", "places edited in Python", "edits of what must stay", "parses", "idempotent", "reversible", "seconds"]
    print_row(head)
    print_row(["---"] * len(head))
    is_kept = True
    for tree in arguments.trees:
        with tempfile.TemporaryDirectory() as folder:
            row, is_good = (false_edits if arguments.ported else promise)(arguments.binary.resolve(), tree.resolve(), arguments.to, folder)
        print_row(row)
        is_kept = is_kept and is_good
    sys.exit(0 if is_kept else 1)


if __name__ == "__main__":
    main()
