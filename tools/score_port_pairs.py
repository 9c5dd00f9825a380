#!/usr/bin/env python3
"""Scores a port against a port somebody else made: for each token of the input that names CUDA, did both, one or neither change it?

Usage: tools/score_port_pairs.py INPUT THEIRS OURS [--list]

INPUT, THEIRS and OURS are folders with the same Python files: the original, the reference port, the port to be scored. A device edit
is a token of the input with "cuda" or "nccl" in it (any case) that the port replaced. Inserted lines (imports, guards) are not counted.
Prints one JSON object; with --list also each token on which the two differ.
"""

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


def main():
    source, theirs, ours = (Path(each) for each in sys.argv[1:4])
    is_list = "--list" in sys.argv
    both = only_theirs = only_ours = files = unreadable = 0
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
        if is_list:
            for index in sorted(expected.keys() ^ made.keys()):
                side = "missed" if index in expected else "added"
                print(f"{side}\t{name}:{before[index][1][0]}\t{before[index][0][:80]}\t{(expected.get(index) or made.get(index))[:80]}")
    print(json.dumps({"files": files, "unreadable": unreadable, "both": both, "only_theirs": only_theirs, "only_ours": only_ours,
                      "precision": round(both / max(1, both + only_ours), 4), "recall": round(both / max(1, both + only_theirs), 4)}))


if __name__ == "__main__":
    main()
