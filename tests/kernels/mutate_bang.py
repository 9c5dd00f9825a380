"""Mutations of the emulated Cambricon chip: each must be noticed by the corpus.

  mutate_bang.py builtins [N]     operations, roundings and operands of built-ins changed one at a time; with N, that many spread evenly

A mutation of a built-in is an edit of the headers, seen by the command through a root of its own; nothing is compiled anew but the
programs that call what changed."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import kernel_coverage  # noqa: E402

STARBRIDGE = os.environ.get("STARBRIDGE_BIN", str(ROOT / "build/dev/src/cli/starbridge"))
BANG = next(machine for machine in kernel_coverage.MACHINES if machine.id == "bang")
PROGRAMS = ROOT / "tests/kernels/bang"
# Codes that may stand for one another in the headers; each is changed to the next of its row.
KINDS = (
    ("SB_ADD", "SB_SUB", "SB_MUL", "SB_DIV"),
    ("SB_EQ", "SB_NE"),
    ("SB_LT", "SB_LE", "SB_GT", "SB_GE"),
    ("SB_AND", "SB_OR", "SB_XOR"),
    ("SB_BAND", "SB_BOR", "SB_BXOR"),
    ("SB_MAX", "SB_MIN"),
    ("SB_NAN_MAX", "SB_NAN_MIN"),
    ("SB_SLL", "SB_SRL"),
    ("SB_FLOOR", "SB_CEIL", "SB_ROUND", "SB_TRUNC"),
    ("SB_SQRT", "SB_RSQRT", "SB_RECIP"),
    ("SB_LOG", "SB_LOG2", "SB_EXP2", "SB_EXP"),
    ("SB_SIN", "SB_COS", "SB_TANH", "SB_SIGMOID"),
    ("SB_GELU", "SB_GELUP", "SB_RELU"),
    ("SB_ABS", "SB_SQUARE", "SB_NEG"),
    ("SB_SIGN", "SB_RELU"),
    ("SB_NOT", "SB_BNOT"),
    ("SB_TZ", "SB_OZ", "SB_UP", "SB_DN"),
    ("SB_RD", "SB_RM", "SB_RN"),
    ("SB_MAX_OF", "SB_MIN_OF"),
    ("SB_ARGMAX", "SB_ARGMIN"),
    ("SB_FINDFIRST", "SB_FINDLAST", "SB_COUNT"),
    ("SB_SELECT", "SB_COLLECT"),
    ("SB_TRANSPOSE", "SB_ROTATE90", "SB_ROTATE180", "SB_ROTATE270", "SB_MIRROR"),
    ("SB_SUMPOOL", "SB_AVGPOOL", "SB_MAXPOOL", "SB_MINPOOL"),
    ("SB_ATOMIC_ADD", "SB_ATOMIC_MAX", "SB_ATOMIC_MIN", "SB_ATOMIC_EXCH"),
    ("SB_ATOMIC_AND", "SB_ATOMIC_OR", "SB_ATOMIC_XOR"),
    ("SB_ATOMIC_INC", "SB_ATOMIC_DEC"),
)
NEXT = {code: row[(i + 1) % len(row)] for row in KINDS for i, code in enumerate(row)}
# Operands that change places.
SWAPS = (("dst, src0, src1, n)", "dst, src1, src0, n)"), ("dst, src, seg, n, seg_n)", "dst, seg, src, n, seg_n)"),
         ("dst, src0, src1, nullptr", "dst, src1, src0, nullptr"), ("height, width); }", "width, height); }"))
# What changes nothing a program can see, each with its reason.
EQUIVALENT = {
    ("bang_vector.h", "SB_DIV_SCRATCH"): "the older spelling of a division, of which the scratch vector is not looked at",
}


@dataclass(frozen=True)
class Mutation:
    file: Path
    start: int
    old: str
    new: str

    def __str__(self):
        text = self.file.read_text()
        line = text.count("\n", 0, self.start) + 1
        words = text[self.start - 40 : self.start + len(self.old) + 12].replace("\n", " ")
        return f"{self.file.name}:{line}: {self.old} -> {self.new}   ...{words}..."


def mutations():
    found = []
    for file in sorted((BANG.headers / "starbridge").glob("bang_*.h")):
        if file.name in ("bang_codes.h", "bang_abi.h", "bang_types.h"):
            continue
        text = file.read_text()
        for match in re.finditer(r"\bSB_[A-Z0-9_]+\b", text):
            start_of_line = text.rfind("\n", 0, match.start()) + 1
            if match[0] in NEXT and not text.startswith(("#define " + match[0], "#undef"), start_of_line):
                found.append(Mutation(file, match.start(), match[0], NEXT[match[0]]))
        for old, new in SWAPS:
            found += [Mutation(file, match.start(), old, new) for match in re.finditer(re.escape(old), text)]
    return sorted(found, key=lambda each: (each.file.name, each.start))


def bodies(machine):
    """name -> the texts of its overloads, after the preprocessor."""
    own = str(machine.headers)
    text = "\n".join(line for file, line in kernel_coverage.preprocessed(machine, "/dev/null") if file.startswith(own))
    text = re.sub(r"__attribute__ ?\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)|\b(?:static|__inline__|inline)\b", "", text)
    found = {}
    for match in re.finditer(r"\b(__[a-z]\w*) ?\(([^;{}]*)\) ?\{([^}]*)\}", text):
        found.setdefault(match[1], []).append(match[3])
    return found


def mutated_root(folder, mutation):
    """A root with the headers changed in one place and everything else as it is."""
    root = Path(folder)
    for entry in ("data", "tests"):
        (root / entry).symlink_to(ROOT / entry)
    (root / "src/emulate").mkdir(parents=True)
    (root / "src/emulate/common").symlink_to(ROOT / "src/emulate/common")
    shutil.copytree(BANG.headers, root / "src/emulate/bang/include")
    target = root / "src/emulate/bang/include" / mutation.file.relative_to(BANG.headers)
    text = mutation.file.read_text()
    assert text.startswith(mutation.old, mutation.start)
    target.write_text(text[: mutation.start] + mutation.new + text[mutation.start + len(mutation.old) :])
    return root


@dataclass(frozen=True)
class Mutated(kernel_coverage.Machine):
    root: str = ""

    @property
    def headers(self):
        return Path(self.root) / "src/emulate/bang/include"


def is_noticed(mutation, original, tested):
    """The program that notices it, "nothing" when no program does, "untested" when none calls what changed, "same" when nothing did."""
    with tempfile.TemporaryDirectory() as folder:
        root = mutated_root(folder, mutation)
        machine = Mutated(**{name: getattr(BANG, name) for name in BANG.__dataclass_fields__}, root=str(root))
        try:
            changed = bodies(machine)
        except subprocess.CalledProcessError:
            return "the preprocessor"
        names = {name for name in original if original[name] != changed.get(name)}
        if not names:
            return "same"
        programs = sorted({program for name in names for program in tested.get(name, [])},
                          key=lambda program: (not program.startswith("builtins"), program))
        programs = [program for program in programs if (PROGRAMS / f"{program}.mlu").exists()]
        for program in programs[:4]:
            done = subprocess.run([STARBRIDGE, "kernel", "run", "--time-limit", "60", str(PROGRAMS / f"{program}.mlu")], capture_output=True,
                                  text=True, env={**os.environ, "STARBRIDGE_ROOT": str(root)}, timeout=900)
            if done.returncode != 0:
                return program
        return f"nothing ({', '.join(programs[:4])})" if programs else f"untested ({', '.join(sorted(names)[:4])})"


def builtins(limit):
    every = mutations()
    chosen = every if limit == 0 else [every[i * len(every) // limit] for i in range(min(limit, len(every)))]
    original, tested = bodies(BANG), kernel_coverage.tested_names(replace(BANG, corpus=("tests/kernels/bang/*.mlu",)))
    with ThreadPoolExecutor(max_workers=2) as pool:
        results = pool.map(lambda mutation: is_noticed(mutation, original, tested), chosen)
        alive, noticed = judged(zip(chosen, results))
    print(f"{noticed} of {noticed + len(alive)} mutations noticed")
    if alive:
        sys.exit("not noticed:\n" + "\n".join(alive))


def judged(results):
    """Those nobody noticed, told as they come, and how many were."""
    alive, noticed = [], 0
    for number, (mutation, result) in enumerate(results, 1):
        line = mutation.file.read_text()[: mutation.start].rpartition("\n")[2]
        if result == "same" or any(mutation.file.name == file and word in line for file, word in EQUIVALENT):
            continue
        if result.startswith(("nothing", "untested")):
            alive.append(f"{mutation}: {result}")
            print(f"{number}: {alive[-1]}", flush=True)
        else:
            noticed += 1
    return alive, noticed


if __name__ == "__main__":
    if sys.argv[1:2] != ["builtins"]:
        sys.exit(__doc__)
    builtins(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
