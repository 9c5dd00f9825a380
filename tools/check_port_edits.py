#!/usr/bin/env python3
"""Checks a port against its original with Python's own tokenizer, without trusting StarBridge.

    tools/check_port_edits.py ORIGINAL PORT

Every changed .py file must tokenize, and may differ only in names and in texts that name a device or collective, or by an import line of
a plug-in. A change inside a comment, a docstring, a path or any other text is reported, and the exit code is 1.
"""

import ast
import bisect
import difflib
import io
import re
import sys
import tokenize
from pathlib import Path

AHEAD = 200  # lines of both sides together
DEVICE_TEXT = re.compile(r"^[rRuUfF]*(['\"]{1,3})(cuda|npu|mlu|musa)(:[^\s]*)?\1$")
OTHER_TEXT = re.compile(r"^[rRuUfF]*(['\"]{1,3})((nccl|hccl|cncl|mccl)|(cpu:gloo,)?(cuda|npu|mlu):\w+|torch\.(cuda|npu|mlu)\.\w+|(self_)?(cuda|npu|mlu)_(time|time_total|memory_usage)|[A-Z][A-Z0-9_]+|cpu|fork|spawn|sdpa|flash_attention_\d|cuda\{\}|npu\{\}|mlu\{\})\1$")


def tokens_of(path: Path):
    """(type, text, first line, last line) of every token, lines from 0."""
    tokens = tokenize.tokenize(io.BytesIO(path.read_bytes()).readline)
    return [(t.type, t.string, t.start[0] - 1, t.end[0] - 1) for t in tokens if t.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING)]


def changed_blocks(before, after):
    """(begin, end, new begin, new end) of runs of lines that differ. A port changes single lines and adds a few: walking both sides in step
    and looking a little ahead takes as long as reading, where a general comparison takes as long as the square of the file."""
    old = new = 0
    while old < len(before) or new < len(after):
        if old < len(before) and new < len(after) and before[old] == after[new]:
            old, new = old + 1, new + 1
            continue
        step = next(((a, total - a) for total in range(1, AHEAD) for a in range(total + 1)
                     if before[old + a:old + a + 2] == after[new + total - a:new + total - a + 2]), None)
        if step is None:  # something else than a port: compare the rest as a whole
            for kind, a, b, c, d in difflib.SequenceMatcher(None, before[old:], after[new:], autojunk=False).get_opcodes():
                if kind != "equal":
                    yield old + a, old + b, new + c, new + d
            return
        yield old, old + step[0], new, new + step[1]
        old, new = old + step[0], new + step[1]


def tokens_within(tokens, begin, end):
    """Tokens that stand, be it in part, on the lines from `begin` to before `end`."""
    first = bisect.bisect_left(tokens, begin, key=lambda token: token[3])
    found = []
    for token in tokens[first:]:
        if token[2] >= end:
            break
        if token[3] >= begin:
            found.append(token[:2])
    return found


def docstrings_of(path: Path):
    found = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node, clean=False) is not None:
            found.add(node.body[0].value.value)
    return found


def without_fields(text: str) -> str:
    """An f-string without its replacement fields: code inside them may change like any other code."""
    prefix = text[: len(text) - len(text.lstrip("rRuUfFbB"))]
    count = 1 if "f" in prefix.lower() else 0
    while count:  # fields may hold f-strings with fields of their own
        text, count = re.subn(r"\{[^{}]*\}", "", text)
    return text


def is_allowed(text: str, others: set) -> bool:
    plain = without_fields(text)
    return bool(DEVICE_TEXT.match(plain) or OTHER_TEXT.match(plain)) or (plain != text and plain in others)


def check_file(original: Path, port: Path):
    problems = []
    edits = 0
    before, after = tokens_of(original), tokens_of(port)
    lines, new_lines = original.read_bytes().splitlines(), port.read_bytes().splitlines()
    if docstrings_of(original) != docstrings_of(port):
        problems.append("a docstring changed")
    for begin, end, new_begin, new_end in changed_blocks(lines, new_lines):
        old, new = tokens_within(before, begin, end), tokens_within(after, new_begin, new_end)
        for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind == "equal":
                continue
            edits += 1
            texts = [{without_fields(text) for token_type, text in side if token_type == tokenize.STRING} for side in (old[a:b], new[c:d])]
            common = texts[0] & texts[1]
            for token_type, text in old[a:b] + new[c:d]:
                if token_type == tokenize.COMMENT:
                    problems.append(f"comment: {text[:80]}")
                elif token_type == tokenize.STRING and not is_allowed(text, common):
                    problems.append(f"text: {text[:80]}")
    return edits, problems


def main():
    original, port = Path(sys.argv[1]), Path(sys.argv[2])
    files = edits = skipped = 0
    bad = []
    for path in sorted(port.rglob("*.py")):
        source = original / path.relative_to(port)
        if path.is_symlink() or not source.is_file() or source.read_bytes() == path.read_bytes():
            continue
        files += 1
        try:
            count, problems = check_file(source, path)
        except (SyntaxError, tokenize.TokenError, UnicodeDecodeError, ValueError) as error:
            try:
                tokens_of(source)
                ast.parse(source.read_bytes())
            except (SyntaxError, tokenize.TokenError, UnicodeDecodeError, ValueError):
                skipped += 1
                continue
            count, problems = 0, [f"the port does not parse: {error}"]
        edits += count
        bad += [f"{path.relative_to(port)}: {problem}" for problem in problems]
    for line in bad:
        print(line)
    print(f"{files} changed files, {edits} changed places, {len(bad)} in comments, docstrings or other texts, {skipped} not Python 3 before")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
