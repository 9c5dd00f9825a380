#!/usr/bin/env python3
"""Ports the input of somebody else's port and scores the two against each other; prints the tables of docs/port-accuracy.md.

    python3 bench/port_pairs.py BINARY INPUT THEIRS [--judged bench/port_pairs_judged.tsv] [--to ascend-910b3]

INPUT and THEIRS: folders with the same files, the original and the reference port (Ascend/msprobe 81f0042c, test/msFmkTransplt/resources,
net and net_msft). Printed: what tools/score_port_pairs.py counts; of mistakes that are known of the reference how often either port makes
them; and what either leaves behind, with the findings that name the places. Exit code 1 when ours makes one of the known mistakes.
"""

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from port_sites_tokens import CODE_KINDS, NAMED, files_of, kind_of, tokens_of

TOOLS = Path(__file__).resolve().parent.parent / "tools"
sys.path.insert(0, str(TOOLS))
from port_edit_tree import kept_of  # noqa: E402

LEFT = (("nn.DataParallel", re.compile(r"\bDataParallel\(")), ("CUDA_VISIBLE_DEVICES", re.compile(r"CUDA_VISIBLE_DEVICES")),
        ("cudnn", re.compile(r"\bcudnn\b")))
RULES = {"nn.DataParallel": ("data-parallel", "data-parallel-test"), "CUDA_VISIBLE_DEVICES": ("visible-devices-order", "visible-devices-late"),
         "cudnn": ()}


def run(command):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "LANG": "C"})
    if result.returncode > 1:
        sys.exit(f"{' '.join(map(str, command))}: {result.stderr.decode(errors='replace').strip()}")
    return result.stdout


def text_of(path):
    return path.read_text(errors="replace")


def code_lines(text):
    """Lines with their comments and texts of several lines blanked."""
    blank = {line for token in tokens_of(text) if token.last_line > token.line for line in range(token.line, token.last_line + 1)}
    return {number: line.split("#")[0] for number, line in enumerate(text.splitlines(), 1) if number not in blank}


def added_lines(before, after):
    return [line for line, count in (Counter(after.splitlines()) - Counter(before.splitlines())).items() for _ in range(count)]


def kept(source):
    try:
        return kept_of(source.encode(), set())
    except (SyntaxError, ValueError):
        return Counter()


def parses(source):
    try:
        ast.parse(source)
        return True
    except (SyntaxError, ValueError):
        return False


def mistakes(source, port):
    """Counts by kind of mistake, over all files."""
    counts = Counter({kind: 0 for kind in ("guards around .to(x) whatever x is", "changed paths", "changed docstrings and printed texts",
                                          "names that do not exist renamed (torch.cuda.ampp)", "files that parsed and do not any more",
                                          "inserted imports")})
    for path in files_of(source):
        if not (port / path.relative_to(source)).is_file():  # not every file has a pair
            continue
        before, after = text_of(path), text_of(port / path.relative_to(source))
        if before == after:
            continue
        added = added_lines(before, after)
        counts["guards around .to(x) whatever x is"] += sum("isinstance(" in line and ".to(" in line for line in added)
        counts["inserted imports"] += sum(bool(re.match(r"\s*(import|from) torch_", line)) for line in added)
        counts["names that do not exist renamed (torch.cuda.ampp)"] += sum("npu.ampp" in line for line in added)
        counts["files that parsed and do not any more"] += parses(before) and not parses(after)
        lost = kept(before) - kept(after)
        counts["changed paths"] += sum(count for (kind, _), count in lost.items() if kind == "path")
        counts["changed docstrings and printed texts"] += sum(count for (kind, _), count in lost.items() if kind in ("docstring", "log text"))
    return counts


def left_behind(port, others):
    lines, places = Counter(), {name: [] for name, _ in LEFT}
    for path in files_of(port):
        if not (others / path.relative_to(port)).is_file():
            continue
        text = text_of(path)
        for number, line in code_lines(text).items():
            for name, pattern in LEFT:
                if pattern.search(line):
                    lines[name] += 1
                    places[name].append((path.relative_to(port).as_posix(), number))
    return lines, places


def left_tokens(port):
    """Names and texts of devices that still name CUDA, with their lines."""
    found = []
    for path in files_of(port):
        text = text_of(path)
        if not NAMED.search(text):
            continue
        tokens, lines = tokens_of(text), text.splitlines()
        found += [(path.relative_to(port).as_posix(), token.line, lines[token.line - 1].strip()) for index, token in enumerate(tokens)
                  if NAMED.search(token.text) and kind_of(tokens, index) in CODE_KINDS]
    return sorted(set(found))


def print_rows(head, rows):
    for row in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("binary", "input", "theirs"):
        parser.add_argument(name, type=lambda word: Path(word).resolve())
    parser.add_argument("--judged", default=Path(__file__).parent / "port_pairs_judged.tsv")
    parser.add_argument("--to", default="ascend-910b3")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ours = Path(folder) / "ours"
        run([arguments.binary, "-q", "port", arguments.input, "--to", arguments.to, "-o", ours])
        findings = json.loads(run([arguments.binary, "--json", "-q", "scan", arguments.input, "--to", arguments.to]))["chips"][0]["findings"]
        score = json.loads(run([sys.executable, TOOLS / "score_port_pairs.py", arguments.input, arguments.theirs, ours, "--judged", arguments.judged]))
        print_rows(["pairs", "edits of both", "of theirs alone", "of ours alone", "precision, recall: the reference taken for the truth",
                    "with the differences judged by reading"],
                   [[score["files"], score["both"], score["only_theirs"], score["only_ours"], f"{score['precision']}, {score['recall']}",
                     f"{score['precision_judged']}, {score['recall_judged']}"]])
        reference, own = mistakes(arguments.input, arguments.theirs), mistakes(arguments.input, ours)
        print_rows(["mistakes that are known of the reference", "reference", "StarBridge"], [[kind, reference[kind], own[kind]] for kind in own])
        (their_lines, _), (own_lines, places) = left_behind(arguments.theirs, ours), left_behind(ours, arguments.theirs)
        told = {(finding["rule"], finding["file"]) for finding in findings}
        print_rows(["left behind: lines of code", "reference", "StarBridge", "of these in files with a finding about it"],
                   [[name, their_lines[name], own_lines[name], sum(any((rule, file) in told for rule in RULES[name]) for file, _ in places[name])]
                    for name, _ in LEFT])
        print_rows(["StarBridge leaves", "line", "code"], [[file, line, f"`{code.replace('|', chr(92) + '|')}`"] for file, line, code in left_tokens(ours)])
    sys.exit(1 if any(own[kind] for kind in own if kind != "inserted imports") else 0)


if __name__ == "__main__":
    main()
