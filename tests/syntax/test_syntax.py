"""The room's own Python parser against CPython's ast: what each accepts, and where every node begins and ends.

Compares the standard library of the interpreter that runs it; STARBRIDGE_TREES names further folders, separated by ":".
"""

import ast
import os
import random
import subprocess
import sysconfig
import tempfile
import unittest
import warnings
from collections import Counter
from pathlib import Path

DUMP = os.environ.get("SB_DUMP_SYNTAX", "build/dev/tests/syntax/dump_syntax")
BATCH = 200

# Kinds that stand for exactly one class of ast nodes each way.
EXACT = {
    ast.Attribute: "Attribute", ast.Call: "Call", ast.Subscript: "Subscript", ast.Slice: "Slice", ast.IfExp: "Conditional",
    ast.BoolOp: "Boolean", ast.Compare: "Comparison", ast.BinOp: "Binary", ast.UnaryOp: "Unary", ast.List: "List", ast.Set: "Set",
    ast.Dict: "Dictionary", ast.NamedExpr: "NamedExpression", ast.Await: "Await", ast.Yield: "Yield", ast.YieldFrom: "Yield",
    ast.ListComp: "Comprehension", ast.SetComp: "Comprehension", ast.DictComp: "Comprehension", ast.GeneratorExp: "Generator",
    ast.AnnAssign: "Assignment", ast.Assign: "Assignment", ast.AugAssign: "AugmentedAssignment", ast.Lambda: "Lambda",
    ast.FunctionDef: "Function", ast.AsyncFunctionDef: "Function", ast.ClassDef: "Class", ast.Return: "Return",
    ast.Import: "Import", ast.keyword: "Keyword",
}
# Kinds that the tree also uses for what ast does not show.
CONTAINED = {ast.Name: ("Identifier",), ast.Starred: ("Star",), ast.Tuple: ("Tuple",), ast.JoinedStr: ("String", "ConcatenatedString"),
             ast.ImportFrom: ("ImportFrom", "FutureImport")}
CONTAINED.update({kind: ("Statement",) for kind in (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.With, ast.AsyncWith,
                                                    ast.Raise, ast.Assert, ast.Delete, ast.Global, ast.Nonlocal)})
PATTERNS = getattr(ast, "pattern", ())
HAS_FIELD_PLACES = hasattr(ast, "TypeAlias")  # Python 3.12 knows where the fields of format strings are


class Places:
    """Byte offsets of ast's lines; lines end as CPython's tokenizer sees them."""

    def __init__(self, source):
        self.starts = [0, 3 if source.startswith(b"\xef\xbb\xbf") else 0]
        at = 0
        while at < len(source):
            ending = min((e for e in (source.find(b"\n", at), source.find(b"\r", at)) if e >= 0), default=-1)
            if ending < 0:
                break
            at = ending + (2 if source[ending:ending + 2] == b"\r\n" else 1)
            self.starts.append(at)

    def span(self, node):
        return (self.starts[node.lineno] + node.col_offset, self.starts[node.end_lineno] + node.end_col_offset)


def expected_spans(tree, source):
    """(kind, span) of every node that has a counterpart, as two lists: exact and contained."""
    places = Places(source)
    exact, contained = [], []
    stack = [(tree, None)]
    while stack:
        node, parent = stack.pop()
        if isinstance(node, PATTERNS):
            continue
        if isinstance(node, ast.JoinedStr) and not HAS_FIELD_PLACES:
            contained.append((CONTAINED[ast.JoinedStr], places.span(node)))
            continue
        if isinstance(node, ast.JoinedStr) and isinstance(parent, ast.FormattedValue):
            stack += [(child, node) for child in ast.iter_child_nodes(node)]  # a format, no string of its own
            continue
        kind = type(node)
        if kind is ast.keyword and node.arg is None:
            pass  # **arguments
        elif kind in EXACT:
            exact.append((EXACT[kind], places.span(node)))
        elif kind is ast.Constant:
            is_text = isinstance(node.value, (str, bytes))
            if not (is_text and isinstance(parent, ast.JoinedStr)):
                contained.append((("String", "ConcatenatedString") if is_text else ("Constant",), places.span(node)))
        elif kind in CONTAINED:
            span = places.span(node)
            is_elif = kind is ast.If and source[span[0]:span[0] + 4] == b"elif"
            is_index = kind is ast.Tuple and isinstance(parent, ast.Subscript) and source[span[0]:span[0] + 1] != b"("
            is_index = is_index or (kind is ast.Tuple and isinstance(parent, ast.Subscript) and parent.slice is node)
            if not is_elif and not is_index:
                contained.append((CONTAINED[kind], span))
        stack += [(child, node) for child in ast.iter_child_nodes(node)]
    return exact, contained


def chains(tree, source):
    """Spans of the inner assignments of `a = b = c`: nodes of ours, none of ast's. Brackets around a target are ours too."""
    places = Places(source)
    spans = []
    for node in ast.walk(tree):
        for target in node.targets[1:] if isinstance(node, ast.Assign) else []:
            begin = places.span(target)[0]
            while source[:begin].rstrip().endswith(b"("):
                begin = len(source[:begin].rstrip()) - 1
            spans.append((begin, places.span(node)[1]))
    return spans


def dump(paths):
    """Per file None when refused, else the nodes as (kind, span, is_in_field)."""
    answer = subprocess.run([DUMP], input="\n".join(str(path) for path in paths) + "\n", capture_output=True, text=True, check=True)
    lines = iter(answer.stdout.splitlines())
    for header in lines:
        _, verdict, count = header.split()
        nodes = []
        for _ in range(int(count)):
            kind, begin, end, is_in_field = next(lines).split()
            nodes.append((kind, (int(begin), int(end)), is_in_field == "1"))
        yield nodes if verdict == "accepted" else None


def parse(source):
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, UnicodeDecodeError, RecursionError, MemoryError):
        return None


def is_plain(source):
    """Latin-1 and other declared encodings move ast's offsets; those files are read by the grammar's rules."""
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


class Syntax(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        warnings.simplefilter("ignore")

    def files(self):
        trees = [Path(root) for root in os.environ.get("STARBRIDGE_TREES", "").split(":") if root]
        # The tests of the standard library are most of it and add little.
        standard = [path for path in Path(sysconfig.get_path("stdlib")).rglob("*.py") if not {"test", "tests"} & set(path.parts)]
        return sorted(path for path in standard + [path for root in trees for path in root.rglob("*.py")]
                      if path.is_file() and not path.is_symlink() and "site-packages" not in path.parts and "\n" not in str(path))

    def test_agrees_with_ast(self):
        files = self.files()
        self.assertGreater(len(files), 100)
        agreed, refused = 0, []
        for first in range(0, len(files), BATCH):
            batch = files[first:first + BATCH]
            for path, nodes in zip(batch, dump(batch), strict=True):
                source = path.read_bytes()
                tree = parse(source)
                if tree is None or not is_plain(source):
                    continue
                if nodes is None:
                    refused.append(path)
                    continue
                self.compare(path, source, tree, nodes)
                agreed += 1
        for path in refused:
            # Names beyond ASCII are the one thing left to the grammar.
            names = [node.id for node in ast.walk(parse(path.read_bytes())) if isinstance(node, ast.Name)]
            self.assertFalse(path.read_bytes().isascii(), f"{path} is valid Python and was refused; names {names[:3]}")
        print(f"{agreed} files agree, {len(refused)} left to the grammar")
        self.assertLess(len(refused), len(files) / 20)

    def compare(self, path, source, tree, nodes):
        exact, contained = expected_spans(tree, source)
        inner = Counter(("Assignment", span) for span in chains(tree, source))
        known = set(EXACT.values())
        ours = Counter((kind, span) for kind, span, is_in_field in nodes if kind in known and (HAS_FIELD_PLACES or not is_in_field))
        theirs = Counter(exact) + inner
        self.assertEqual(list((ours - theirs).elements())[:3], [], f"{path}: nodes that ast has not")
        self.assertEqual(list((theirs - ours).elements())[:3], [], f"{path}: nodes that only ast has")
        present = {(kind, span) for kind, span, _ in nodes}
        for kinds, span in contained:
            self.assertTrue(any((kind, span) in present for kind in kinds), f"{path}: {kinds} at {span}: {source[span[0]:span[1]][:60]}")

    def test_refuses_what_cpython_refuses(self):
        """Random damage to real files: text that only one of the two takes is a fault."""
        seed = int(os.environ.get("STARBRIDGE_SEED", "1"))
        chance = random.Random(seed)
        files = [path for path in self.files() if 200 < path.stat().st_size < 6000]
        with tempfile.TemporaryDirectory() as folder:
            texts = []
            for number in range(int(os.environ.get("STARBRIDGE_MUTANTS", "1500"))):
                texts.append(mutate(chance.choice(files).read_bytes(), chance))
                Path(folder, f"{number}.py").write_bytes(texts[-1])
            paths = [Path(folder, f"{number}.py") for number in range(len(texts))]
            wrong = []
            for text, nodes in zip(texts, dump(paths), strict=True):
                is_valid = parse(text) is not None
                if not text.isascii() or b"\0" in text or is_decided_later(text):
                    continue
                if is_valid != (nodes is not None):
                    wrong.append((is_valid, text))
            print(f"{len(texts)} texts, {sum(parse(text) is not None for text in texts)} of them valid, seed {seed}")
            for is_valid, text in wrong[:3]:
                print("valid" if is_valid else f"invalid: {reason(text)}", "\n", text.decode(), "\n----")
            self.assertEqual(len(wrong), 0, f"seed {seed}: {len(wrong)} of {len(texts)} texts judged otherwise than by CPython")


def reason(text):
    try:
        ast.parse(text)
    except (SyntaxError, ValueError) as error:
        return str(error)
    return ""


def is_decided_later(text):
    """Refused by CPython while it builds values, not for the text's form: escapes, encodings, joined kinds of strings."""
    why = reason(text)
    if not HAS_FIELD_PLACES and "f-string" in why:
        return True  # older versions read less inside format strings
    return any(word in why for word in ("codec can't decode", "mix bytes and nonbytes", "unknown encoding", "encoding problem",
                                        "unicode error", "bytes can only contain", "value error", "Exceeds the limit"))


def mutate(source, chance):
    lines = source.splitlines(keepends=True)
    for _ in range(chance.randint(1, 3)):
        way = chance.randrange(6)
        at = chance.randrange(len(lines)) if lines else 0
        if way == 0 and lines:
            del lines[at]
        elif way == 1 and lines:
            lines.insert(at, chance.choice(lines))
        elif way == 2 and lines:
            line = lines[at]
            cut = chance.randrange(len(line) + 1)
            lines[at] = line[:cut] + chance.choice([b"(", b")", b"[", b"]", b"{", b"}", b":", b",", b"=", b"*", b"'", b'"', b"\\", b" ",
                                                    b"not ", b"if ", b"else ", b"lambda ", b"await ", b":=", b".", b"f'{", b"@", b"\n", b"\t",
                                                    b"for x in ", b"yield ", b"0", b"1_", b"->", b"%", b"**"]) + line[cut:]
        elif way == 3 and lines:
            line = lines[at]
            cut = chance.randrange(max(len(line), 1))
            lines[at] = line[:cut] + line[cut + 1:]
        elif way == 4 and lines:
            words = lines[at].split(b" ")
            chance.shuffle(words)
            lines[at] = b" ".join(words)
        elif lines:
            other = chance.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
    return b"".join(lines)


if __name__ == "__main__":
    unittest.main()
