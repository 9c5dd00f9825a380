#!/usr/bin/env python3
"""Checks a port against its original with Python's own tokenizer and syntax tree, without trusting StarBridge.

    tools/check_port_edits.py ORIGINAL PORT

Every changed .py file and code cell must parse, and may differ only in names and in texts that name a device or collective, or by an
import line of a plug-in. A change inside a comment, a docstring, a path, a printed or logged text, any other text, or of a name that the
project gives itself is reported, and the exit code is 1. Of a notebook everything but the code cells must be the same; of other changed
files the comments.
"""

import ast
import bisect
import difflib
import io
import json
import re
import sys
import tokenize
from pathlib import Path

from port_edit_tree import kept_of, own_names_of

AHEAD = 200  # lines of both sides together
DEVICE_TEXT = re.compile(r"^[rRuUfF]*(['\"]{1,3})(cuda|npu|mlu|musa)(:[^\s]*)?\1$")
OTHER_TEXT = re.compile(r"^[rRuUfF]*(['\"]{1,3})((nccl|hccl|cncl|mccl)|(cpu:gloo,)?(cuda|npu|mlu):\w+|torch\.(cuda|npu|mlu)\.\w+|(self_)?(cuda|npu|mlu)_(time|time_total|memory_usage)|[A-Z][A-Z0-9_]+|cpu|fork|spawn|sdpa|flash_attention_\d|cuda\{\}|npu\{\}|mlu\{\})\1$")


FAULTS = (SyntaxError, tokenize.TokenError, UnicodeDecodeError, ValueError, RecursionError)
MAGIC = re.compile(rb"[ \t]*[%!?]")
COMMENT_KINDS = {".sh", ".bash", ".sbatch", ".slurm", ".yaml", ".yml", ".toml", ".cfg", ".ini", ".txt", ".cmake", ".mk", ""}
FENCE = re.compile(rb"\s*(```|~~~)")


def tokens_of(source: bytes):
    """(type, text, first line, last line) of every token, lines from 0."""
    tokens = tokenize.tokenize(io.BytesIO(source).readline)
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


def check_source(original: bytes, port: bytes, own_names: set):
    """(count of changed places, problems) of Python code."""
    problems = []
    edits = 0
    before, after = tokens_of(original), tokens_of(port)
    lines, new_lines = original.splitlines(), port.splitlines()
    kept, new_kept = kept_of(original, own_names), kept_of(port, own_names)
    problems += [f"{kind}: {text[:80]}" for kind, text in (kept - new_kept)]
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


def may_be_parsed(source: bytes) -> bool:
    try:
        tokens_of(source)
        ast.parse(source)
        return True
    except FAULTS:
        return False


class Checker:
    def __init__(self, original: Path, port: Path):
        self.original, self.port = original, port
        self.files = self.edits = self.skipped = self.other_files = 0
        self.problems = []
        self.own_names = set()
        for path in original.rglob("*.py"):
            try:
                self.own_names |= own_names_of(ast.parse(path.read_bytes())) if path.is_file() and not path.is_symlink() else set()
            except FAULTS:
                pass

    def check(self):
        for path in sorted(self.port.rglob("*")):
            name = path.relative_to(self.port)
            source = self.original / name
            if path.is_symlink() or not path.is_file() or not source.is_file() or ".git" in name.parts:
                continue
            before, after = source.read_bytes(), path.read_bytes()
            if before == after:
                continue
            if path.suffix == ".py":
                self.files += 1
                self.note(name, before, after)
            elif path.suffix == ".ipynb":
                self.files += 1
                self.check_notebook(name, json.loads(before), json.loads(after))
            else:
                self.other_files += 1
                self.check_lines(name, before.splitlines(), after.splitlines())

    def note(self, name, before: bytes, after: bytes):
        if not may_be_parsed(before):
            self.skipped += 1
            return
        try:
            count, problems = check_source(before, after, self.own_names)
        except FAULTS as error:
            count, problems = 0, [f"the port does not parse: {error}"]
        self.edits += count
        self.problems += [f"{name}: {problem}" for problem in problems]

    def check_notebook(self, name, before, after):
        cells = [notebook.pop("cells") for notebook in (before, after)]
        if before != after or len(cells[0]) != len(cells[1]):
            self.problems.append(f"{name}: the notebook's frame changed")
            return
        for number, (old, new) in enumerate(zip(*cells)):
            sources = ["".join(cell.pop("source", "")).encode() for cell in (old, new)]
            if old != new or (sources[0] != sources[1] and old.get("cell_type") != "code"):
                self.problems.append(f"{name}: cell {number}: something else than code changed")
            elif sources[0] != sources[1]:
                magics = [[line for line in source.splitlines() if MAGIC.match(line)] for source in sources]
                plain = [b"".join(b"\n" if MAGIC.match(line) else line for line in source.splitlines(keepends=True)) for source in sources]
                self.edits += sum(1 for pair in zip(*magics) if pair[0] != pair[1])
                if plain[0] != plain[1]:
                    self.note(f"{name}#{number}", *plain)

    def check_lines(self, name, before, after):
        """Comments of a script or of settings, and prose of a document, must stay; what they tell the machine may change."""
        is_document = name.suffix in (".md", ".markdown")
        if not is_document and name.suffix not in COMMENT_KINDS:
            return
        fenced, inside = [], False
        for line in before:
            inside ^= bool(FENCE.match(line))
            fenced.append(inside)
        for begin, end, _, _ in changed_blocks(before, after):
            for number in range(begin, end):
                line = before[number].strip()
                is_comment = line.startswith(b"#") and not re.match(rb"#\s?(SBATCH|PBS|\$|syntax)", line)
                is_prose = is_document and not fenced[number] and not re.match(rb"( {4,}|\t|[$>] )", before[number])
                if (is_comment and not is_document) or is_prose:
                    self.problems.append(f"{name}:{number + 1}: {'prose' if is_prose else 'comment'}: {line[:80].decode(errors='replace')}")


def main():
    checker = Checker(Path(sys.argv[1]), Path(sys.argv[2]))
    checker.check()
    for line in checker.problems:
        print(line)
    print(f"{checker.files} changed files of Python, {checker.edits} changed places, {checker.other_files} other changed files, "
          f"{len(checker.problems)} changes of what must stay, {checker.skipped} not Python 3 before")
    sys.exit(1 if checker.problems else 0)


if __name__ == "__main__":
    main()
