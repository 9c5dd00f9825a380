"""Of a Python source, what a port must leave: read from CPython's own syntax tree, for check_port_edits.py.

Names the source gives itself, texts that are paths, texts that are printed or logged, and docstrings. A port may not change how often any
of them stands in a file.
"""

import ast
import re
from collections import Counter

NAMED = re.compile(r"cuda|nccl|gpu", re.IGNORECASE)
# PyTorch's own words, which a project may also use as names: x.cuda() and the like are renamed wherever they are called.
PYTORCH_WORDS = {"cuda", "is_cuda", "nccl"}
PATH_CALLS = {"join", "Path", "PurePath", "open", "glob", "iglob", "rglob", "exists", "isfile", "isdir", "makedirs", "listdir", "mkdir", "remove",
              "copy", "copyfile", "move", "save", "joinpath", "with_name", "with_suffix", "endswith", "dirname", "basename", "abspath"}
LOG_CALLS = {"print", "debug", "info", "warning", "warn", "error", "exception", "critical", "log", "log_once", "warning_once", "print_rank_0"}


def called_name(call):
    return call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""


def text_before(part, follower):
    """A constant part of an f-string; the code that f"{code=}" repeats there is no text of the author's."""
    repeated = ast.unparse(follower.value) + "=" if isinstance(follower, ast.FormattedValue) else None
    return part.value.removesuffix(repeated) if repeated else part.value


def fixed_text(node):
    """The text of a constant, or of an f-string without its fields; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "{}".join(text_before(part, follower) for part, follower in zip(node.values, [*node.values[1:], None])
                         if isinstance(part, ast.Constant) and isinstance(part.value, str))
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mod, ast.Add)):
        left = fixed_text(node.left)
        return left if left is not None else fixed_text(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return fixed_text(node.func.value)
    return None


def bound_names(node):
    """Names that the node binds: of functions, classes, parameters, variables, and of attributes of objects at hand."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id != "torch":
        yield node.attr


def used_name(node):
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.arg if isinstance(node, ast.keyword) else None


def pytorch_roots(tree):
    """Names that imports bind to PyTorch or to something of it."""
    roots = {"torch"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots |= {alias.asname or "torch" for alias in node.names if alias.name.split(".")[0] == "torch"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch":
            roots |= {alias.asname or alias.name for alias in node.names}
    return roots


def root_of(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def own_names_of(tree):
    return {name for node in ast.walk(tree) for name in bound_names(node) if NAMED.search(name) and name not in PYTORCH_WORDS}


def path_texts(node):
    if isinstance(node, ast.Call) and called_name(node) in PATH_CALLS:
        # torch.load(path, map_location) and x.save(path): what comes after the first may be a device.
        is_join = called_name(node) in ("join", "Path", "PurePath", "joinpath")
        return [fixed_text(argument) for argument in (node.args if is_join else node.args[:1])]
    if isinstance(node, ast.Call) and called_name(node) == "load":
        return [fixed_text(argument) for argument in node.args[:1]]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return [fixed_text(node.left), fixed_text(node.right)]
    return []


def log_texts(node):
    if isinstance(node, ast.Call) and called_name(node) in LOG_CALLS:
        return [fixed_text(argument) for argument in node.args]
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        return [fixed_text(argument) for argument in node.exc.args]
    return [fixed_text(node.msg)] if isinstance(node, ast.Assert) and node.msg is not None else []


def docstring_of(node):
    if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return ast.get_docstring(node, clean=False)
    return None


def kept_of(source, own_names):
    """Counter of (kind, text) of all that must stay; `own_names`: those of the whole project."""
    kept = Counter()
    tree = ast.parse(source)
    roots = pytorch_roots(tree)
    for node in ast.walk(tree):
        for name in bound_names(node):
            if NAMED.search(name) and name not in PYTORCH_WORDS:
                kept["identifier", name] += 1
        is_pytorchs = isinstance(node, ast.Attribute) and root_of(node) in roots
        if used_name(node) in own_names and not is_pytorchs and not any(True for _ in bound_names(node)):
            kept["identifier", used_name(node)] += 1
        for kind, texts in (("path", path_texts(node)), ("log text", log_texts(node)), ("docstring", [docstring_of(node)])):
            for text in texts:
                if text is not None and (kind == "docstring" or NAMED.search(text)):
                    kept[kind, text] += 1
    return kept
