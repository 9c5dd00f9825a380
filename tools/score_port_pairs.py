#!/usr/bin/env python3
"""Scores a port against a port somebody else made: for each token of the input that names CUDA, did both, one or neither change it?

Usage: tools/score_port_pairs.py INPUT THEIRS OURS [--judged FILE] [--list]

INPUT, THEIRS and OURS are folders with the same Python files: the original, the reference port, the port to be scored. A device edit
is a token of the input with "cuda" or "nccl" in it (any case) that the port replaced. Inserted lines (imports, guards) are not counted.
The reference is not the truth. FILE holds what a reader found at places where the two differ: tab-separated file, line, token and verdict,
  left-behind       a device edit that the reference should have made: ours is right
  reference-wrong   an edit that the reference should not have made: ours is right to leave it
Each verdict must name a place where the two differ, and is used once; what is not judged counts against the scored port.

Prints one JSON object; with --list also each token on which the two differ, with its verdict.
"""

import argparse
import difflib
import io
import json
import re
import sys
import tokenize
from pathlib import Path

DEVICE = re.compile(r"cuda|nccl", re.IGNORECASE)
SKIPPED = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER)


def tokens_of(path):
    text = path.read_text(errors="replace")
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type not in SKIPPED:
                found.append((token.string, token.start))
    except (tokenize.TokenError, SyntaxError):
        return None
    return found


def device_edits(before, after):
    """Indices of the tokens of `before` with a device word that `after` replaced."""
    edits = {}
    old, new = [token[0] for token in before], [token[0] for token in after]
    for kind, begin, end, new_begin, new_end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind in ("replace", "delete"):
            for index in range(begin, end):
                if DEVICE.search(old[index]):
                    edits[index] = " ".join(new[new_begin:new_end])
    return edits


VERDICTS = {"added": "left-behind", "missed": "reference-wrong"}  # by the side on which it may stand


def read_judged(path):
    """Verdicts by (file, line, first word of the token), as many as the file has rows for it."""
    judged = {}
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) < 4 or not fields[1].isdigit() or fields[3] not in VERDICTS.values():
            sys.exit(f"{path}:{number}: expected file, line, token and {' or '.join(VERDICTS.values())}, separated by tabs")
        judged.setdefault((fields[0], int(fields[1]), fields[2]), []).append(fields[3])
    return judged


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("input", "theirs", "ours"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--judged", type=read_judged, default={})
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    source, theirs, ours, judged = arguments.input, arguments.theirs, arguments.ours, arguments.judged
    both = only_theirs = only_ours = files = unreadable = 0
    verdicts = dict.fromkeys(VERDICTS.values(), 0)
    for path in sorted(source.rglob("*.py")):
        name = path.relative_to(source)
        if not (theirs / name).exists() or not (ours / name).exists():
            continue
        files += 1
        before, reference, scored = tokens_of(path), tokens_of(theirs / name), tokens_of(ours / name)
        if before is None or reference is None or scored is None:
            unreadable += 1
            continue
        expected, made = device_edits(before, reference), device_edits(before, scored)
        both += len(expected.keys() & made.keys())
        only_theirs += len(expected.keys() - made.keys())
        only_ours += len(made.keys() - expected.keys())
        for index in sorted(expected.keys() ^ made.keys()):
            side = "missed" if index in expected else "added"
            token, (line, _) = before[index]
            rows = judged.get((str(name), line, token.split()[0]), [])
            verdict = VERDICTS[side] if VERDICTS[side] in rows else "not judged"
            if verdict in rows:
                rows.remove(verdict)
                verdicts[verdict] += 1
            if arguments.list:
                print(f"{side}\t{name}:{line}\t{token[:80]!r}\t{(expected.get(index) or made.get(index))[:80]!r}\t{verdict}")
    unused = sum(len(rows) for rows in judged.values())
    if unused:
        places = ", ".join(f"{file}:{line} {token}" for (file, line, token), rows in judged.items() if rows)
        sys.exit(f"{unused} verdicts name places where the two ports do not differ: {places}")
    right = both + verdicts["left-behind"]
    print(json.dumps({"files": files, "unreadable": unreadable, "both": both, "only_theirs": only_theirs, "only_ours": only_ours,
                      "precision": round(both / max(1, both + only_ours), 4), "recall": round(both / max(1, both + only_theirs), 4),
                      "judged": verdicts, "precision_judged": round(right / max(1, both + only_ours), 4),
                      "recall_judged": round(right / max(1, right + only_theirs - verdicts["reference-wrong"]), 4)}))


if __name__ == "__main__":
    main()
