"""Sites of port_sites.py: the tokens of Python files and notebook cells that name CUDA or NCCL, each with its kind.

A file's units are the file itself, or the code cells of a notebook (`path#cell12`); lines of magics are blanked, line numbers stay.
An f-string is one token, as it is before Python 3.12.
"""

import io
import json
import re
import tokenize
from dataclasses import dataclass

NAMED = re.compile(r"cuda|nccl", re.IGNORECASE)
NAMED_WORD = re.compile(r"[\w.]*(?:cuda|nccl)[\w.]*", re.IGNORECASE)
DEVICE_TEXT = re.compile(r"(cuda|nccl)(:.*|\{.*|%.*)?", re.DOTALL)
VARIABLE_TEXT = re.compile(r"[A-Z0-9_]+")
TEXT = re.compile(r"([rRuUbBfF]*)('''|\"\"\"|'|\")(.*)\2", re.DOTALL)
MAGIC = re.compile(r"\s*[%!?]")
TORCH_ROOTS = {"torch", "dist", "nn", "c10d"}
SKIPPED_FOLDERS = {"__pycache__", "node_modules", ".venv", "venv", "site-packages", ".tox", ".mypy_cache", ".ipynb_checkpoints", ".git", ".hg",
                   ".svn"}
LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
TOKEN_LENGTH_MAX = 48  # what is longer, or has blanks in it, is recorded as its first word that names CUDA

CODE_KINDS = ("method", "module", "attribute", "device text", "variable text", "f-string field")
OTHER_KINDS = ("comment", "docstring", "message", "other text", "identifier")


@dataclass
class Token:
    type: int
    text: str
    line: int  # from 1
    column: int  # from 1, in characters
    last_line: int


@dataclass
class Site:
    path: str
    line: int
    column: int
    token: str
    kind: str


def tokens_of(text):
    """Tokens without layout except NEWLINE; of a text that does not tokenize, those before the fault."""
    found, lines, f_string = [], text.splitlines(keepends=True), []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            name = tokenize.tok_name[token.type]
            if name in ("FSTRING_START", "TSTRING_START"):
                f_string.append(token.start)
            elif name in ("FSTRING_END", "TSTRING_END"):
                begin = f_string.pop()
                if not f_string:
                    found.append(Token(tokenize.STRING, span_of(lines, begin, token.end), begin[0], begin[1] + 1, token.end[0]))
            elif not f_string and (token.type not in LAYOUT or token.type == tokenize.NEWLINE):
                found.append(Token(token.type, token.string, token.start[0], token.start[1] + 1, token.end[0]))
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def span_of(lines, begin, end):
    if begin[0] == end[0]:
        return lines[begin[0] - 1][begin[1]:end[1]]
    return "".join([lines[begin[0] - 1][begin[1]:], *lines[begin[0]:end[0] - 1], lines[end[0] - 1][:end[1]]])


def root_of_chain(tokens, index):
    """First name of the dotted chain that ends at `index`; empty where the chain starts with something else."""
    while index >= 2 and tokens[index - 1].text == "." and tokens[index - 2].type == tokenize.NAME:
        index -= 2
    return "" if index and tokens[index - 1].text == "." else tokens[index].text


def starts_statement(tokens, index):
    while index and tokens[index - 1].type == tokenize.COMMENT:
        index -= 1
    return not index or tokens[index - 1].type == tokenize.NEWLINE


def kind_of_name(tokens, index):
    text = tokens[index].text
    after_dot = index > 0 and tokens[index - 1].text == "."
    before = tokens[index + 1].text if index + 1 < len(tokens) else ""
    if text in ("cuda", "nccl"):
        if after_dot and before == "(":
            return "method"
        if after_dot and root_of_chain(tokens, index) in TORCH_ROOTS:
            return "module"
    elif after_dot and (text == "is_cuda" or root_of_chain(tokens, index) in TORCH_ROOTS | {"ProfilerActivity"}):
        return "attribute"
    return "identifier"


def kind_of_text(tokens, index):
    parts = TEXT.fullmatch(tokens[index].text)
    if not parts:
        return "other text"
    prefix, quote, content = parts.group(1).lower(), parts.group(2), parts.group(3)
    alone = index + 1 == len(tokens) or tokens[index + 1].type in (tokenize.NEWLINE, tokenize.COMMENT)
    if starts_statement(tokens, index) and alone:
        return "docstring"
    if "f" in prefix and any(NAMED.search(field) for field in re.findall(r"\{([^{}]*)\}", content)):
        return "f-string field"
    if DEVICE_TEXT.fullmatch(content) and len(quote) == 1 and not re.search(r"\s", content):
        return "device text"
    if VARIABLE_TEXT.fullmatch(content):
        return "variable text"
    return "message" if re.search(r"\s", content) else "other text"


def kind_of(tokens, index):
    kind = tokens[index].type
    if kind == tokenize.COMMENT:
        return "comment"
    return kind_of_text(tokens, index) if kind == tokenize.STRING else kind_of_name(tokens, index)


def recorded(token):
    """What may stand in the file of verdicts: the token, or of prose and long texts one word."""
    if token.type != tokenize.COMMENT and len(token.text) <= TOKEN_LENGTH_MAX and not re.search(r"\s", token.text):
        return token.text
    fields = [word for field in re.findall(r"\{([^{}]*)\}", token.text) for word in NAMED_WORD.findall(field)] if token.type == tokenize.STRING else []
    return (fields or NAMED_WORD.findall(token.text))[0][:TOKEN_LENGTH_MAX]


def units_of(path):
    """(suffix of the path, text) of a Python file or of each code cell of a notebook; empty when it cannot be read."""
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    if path.suffix != ".ipynb":
        return [("", text)]
    try:
        cells = json.loads(text)["cells"]
    except (ValueError, KeyError, TypeError):
        return []
    units = []
    for number, cell in enumerate(cells):
        source = cell.get("source", "")
        source = source if isinstance(source, str) else "".join(source)
        if cell.get("cell_type") == "code" and not source.lstrip().startswith("%%"):
            kept = ["\n" if MAGIC.match(line) else line for line in source.splitlines(keepends=True)]
            units.append((f"#cell{number}", "".join(kept)))
    return units


def files_of(tree):
    return [path for path in sorted(tree.rglob("*")) if path.suffix in (".py", ".ipynb") and path.is_file() and not path.is_symlink()
            and not SKIPPED_FOLDERS & set(path.relative_to(tree).parts)]


def sites_of(tree):
    sites = []
    for path in files_of(tree):
        if not NAMED.search(path.read_bytes().decode("utf-8", errors="replace")):
            continue
        for suffix, text in units_of(path):
            tokens = tokens_of(text) if NAMED.search(text) else []
            for index, token in enumerate(tokens):
                if NAMED.search(token.text):
                    name = path.relative_to(tree).as_posix() + suffix
                    sites.append(Site(name, token.line, token.column, recorded(token), kind_of(tokens, index)))
    return sites
