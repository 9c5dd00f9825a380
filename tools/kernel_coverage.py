"""What an emulated machine knows, what public code uses, and what the corpus tests: read from headers and programs, never kept by hand.

A machine is a row of MACHINES. To add one: its headers and door, a regular expression of its names, a table of uses in data/emulate
(name, uses, source) and, where it refuses names on purpose, the table of those."""

import functools
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MANY = 10  # programs beyond which one more tells nothing and would only change the page
MARKER = re.compile(r'^# \d+ "([^"]*)"')


@dataclass(frozen=True)
class Machine:
    id: str
    title: str
    subject: str  # what its names are, in the plural
    door: str  # the header that opens all others
    names: str  # of what a program calls
    uses: str  # table in data/emulate
    corpus: tuple  # globs of its programs
    folders: tuple = ()  # globs of programs that are folders; read as they are, since the command writes some of their headers
    doors: tuple = ()  # further headers a program includes itself
    refused: str = ""  # table of names that are refused, in the headers' folder
    refused_row: str = ""
    modes: tuple = ()  # endings that make one family of names
    hidden: str = r"^__(sb_|builtin_|attribute|asm|typeof|cuda(Push|Pop))"  # the headers' own
    options: tuple = ()
    untested: tuple = ()  # (reason, names): done, and no program can tell
    kinds: tuple = field(default=())  # (title, regular expression): how the list of the others is divided

    @property
    def page(self):
        return ROOT / f"docs/{self.id}-coverage.md"

    @property
    def headers(self):
        return ROOT / f"src/emulate/{self.id}/include"


MACHINES = (
    Machine(
        id="bang",
        title="Built-ins of BANG C on the emulated chip",
        subject="built-ins",
        door="bang.h",
        names=r"\b(__[a-z]\w*|cnrt[A-Z]\w*) ?\(",
        uses="bang_builtins.tsv",
        corpus=("tests/kernels/bang/*.mlu", "tests/kernels/bang/wrong/*.mlu"),
        refused="starbridge/bang_refused.def",
        refused_row=r"SB_BANG_REFUSED\((\w+)\)",
        modes=("tz", "oz", "up", "dn", "rd", "rm", "rn"),
        hidden=r"^__(sb_|builtin_|attribute|asm|typeof|cuda(Push|Pop)|trunc[sd]fbf2$)",
        options=("-D__MLU_NRAM_SIZE__=768", "-D__MLU_WRAM_SIZE__=1024", "-D__MLU_SRAM_SIZE__=4096"),
        kinds=(("Host calls", r"^cnrt"), ("Built-ins", r"^__")),
    ),
    Machine(
        id="ascend",
        title="Ascend C on the emulated core",
        subject="names",
        door="kernel_operator.h",
        doors=("acl/acl.h", "lib/matmul_intf.h"),
        names=r"\b(acl[a-z]*[A-Z]\w*|(?!SB_)[A-Z]\w+)(?:<[^<>();]*>)? ?\(",
        uses="ascend_uses.tsv",
        hidden=r"^(SB_|EXPECT|CHECK|RUN$|ACL_|(AtM|AtN|BaseM|BaseN|Depth|Rows|Columns|Least|LeadingC|Product|Restart)$|Stream$|OnChip$|[A-Z]$)",
        corpus=("tests/kernels/ascend/*.asc", "tests/kernels/ascend/wrong/*.asc"),
        folders=("tests/kernels/ascend/operators/*",),
        untested=(
            ("Hints and modes that change nothing here; products in HF32 are computed in float",
             ("SetFixpipeNz2ndFlag", "SetFixpipePreQuantFlag", "SetHF32Mode", "SetHF32TransMode", "SetMMLayoutTransform")),
            ("Refused where it is called", ("SetQuantScalar",)),
            ("A structure that no function takes", ("TransposeParamsExt",)),
        ),
        kinds=(("Host calls", r"^acl"), ("Words of operators", r"^[A-Z_0-9]+$"), ("Functions and classes", r"^[A-Z]")),
    ),
    Machine(
        id="cuda",
        title="CUDA on the emulated NVIDIA card",
        subject="functions",
        door="cuda_runtime.h",
        doors=("cooperative_groups.h", "cuda_awbarrier_primitives.h", "cuda_bf16.h", "cuda_fp16.h", "cuda_pipeline_primitives.h", "curand.h",
               "curand_kernel.h", "cublas_v2.h", "mma.h"),
        names=r"\b(__[a-z]\w*|cu[a-z]*[A-Z]\w*|atomic\w+|tex[123C]\w+|surf\w+|curand_?\w*)(?:<[^<>();]*>)? ?\(",
        uses="cuda_uses.tsv",
        refused="starbridge/cuda_refused.def",
        refused_row=r"SB_CUDA_REFUSED\((\w+),",
        hidden=r"^__(sb_|builtin_|attribute|asm|typeof|cuda(Push|Pop)|atomic_|\w+__$|dv$|x$|nv_|half2?(_raw)?$)",
        corpus=("tests/kernels/cuda/*.cu", "tests/kernels/cuda/wrong/*.cu", "tests/kernels/port/*.cu"),
        kinds=(
            ("Host calls", r"^cuda[A-Z]"),
            ("cuBLAS", r"^cublas"),
            ("Random numbers", r"^curand"),
            ("Atomics", r"^atomic"),
            ("Textures and surfaces", r"^(tex|surf)"),
            ("Intrinsics", r"^__"),
        ),
    ),
)


def preprocessed(machine, source, includes=()):
    """[(file, text)] in the order the compiler sees them."""
    shared = ROOT / "src/emulate/common/include"
    command = ["clang++-19", "-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-E", "-w", "-std=gnu++17", *machine.options,
               "-isystem", machine.headers, "-isystem", shared, "-include", machine.door]
    for header in includes:
        command += ["-include", header]
    text = subprocess.run([*map(str, command), str(source)], capture_output=True, text=True, check=True).stdout
    pieces, file = [], ""
    for line in text.splitlines():
        marker = MARKER.match(line)
        if marker:
            file = marker[1]
        elif line:
            pieces.append((file, line))
    return pieces


@functools.cache
def classes(machine):
    """Types of a machine's headers: a program that declares an object of one calls it, whatever the brackets."""
    own = str(machine.headers)
    return {name for file, line in preprocessed(machine, "/dev/null", machine.doors) if file.startswith(own)
            for name in re.findall(r"^\s*(?:class|struct) (\w+)", line)}


def called(machine, lines):
    names = set()
    for line in lines:
        names.update(re.findall(machine.names, line))
    return {name for name in names if not re.search(machine.hidden, name)}


def refused_names(machine):
    if not machine.refused:
        return set()
    return set(re.findall(machine.refused_row, (machine.headers / machine.refused).read_text()))


@functools.cache
def macros(machine):
    """Names that are macros of a machine's headers and stand for a call: with parameters, or another name for a function."""
    found, aliases = set(), []
    for header in machine.headers.rglob("*.h"):
        text = header.read_text()
        found.update(re.findall(r"^#define (\w+)\(", text, re.MULTILINE))
        aliases += re.findall(r"^#define (\w+) (\w+)$", text, re.MULTILINE)
    calls = declared(machine)
    found.update(name for name, stands_for in aliases if stands_for in calls or stands_for == "printf")
    return {name for name in found if re.fullmatch(machine.names.replace(r" ?\(", ""), name) and not re.search(machine.hidden, name)}


@functools.cache
def declared(machine):
    """What the headers declare or define, after the preprocessor: most names are made by macros."""
    own = str(machine.headers)
    return called(machine, [line for file, line in preprocessed(machine, "/dev/null", machine.doors) if file.startswith(own)])


def done_names(machine):
    return (declared(machine) | macros(machine)) - refused_names(machine)


def tested_names(machine):
    """name -> programs of the corpus that call it, in their own text or through the corpus's headers."""
    tests = str(ROOT / "tests")
    found = {}
    for pattern in machine.corpus:
        for program in sorted(ROOT.glob(pattern)):
            lines = [line for file, line in preprocessed(machine, program) if file.startswith(tests)]
            written = re.findall(r"\w+", program.read_text())
            of_classes = classes(machine) & set(re.findall(r"\w+", "\n".join(lines)))
            for name in called(machine, lines) | of_classes | (macros(machine) & set(written)):
                found.setdefault(name, []).append(program.stem)
    done = done_names(machine)
    for folder in sorted(path for pattern in machine.folders for path in ROOT.glob(pattern)):
        text = "\n".join(source.read_text() for source in sorted(folder.rglob("*")) if source.suffix in (".cpp", ".h"))
        for name in (called(machine, text.splitlines()) & done) | (macros(machine) & set(re.findall(r"\w+", text))):
            found.setdefault(name, []).append(folder.name)
    return found


def excused(machine):
    return {name for _, names in machine.untested for name in names}


def untested_names(machine):
    """Rows that want a test and have none; and excuses that are no longer true."""
    done, tested = done_names(machine), set(tested_names(machine))
    return sorted(done - tested - excused(machine)), sorted(excused(machine) & (tested | (excused(machine) - done)))


def used_names(machine):
    lines = (ROOT / "data/emulate" / machine.uses).read_text().splitlines()[1:]
    return {name: int(uses) for name, uses, _ in (line.split("\t") for line in lines)}


def use_sources(machine):
    lines = (ROOT / "data/emulate" / machine.uses).read_text().splitlines()[1:]
    return sorted({line.split("\t")[2] for line in lines})


def families(machine, names):
    """Names that differ by their ending become one: __bang_float2half (and _dn, _rd)."""
    bases = {}
    for name in sorted(names):
        base, _, last = name.rpartition("_")
        if last in machine.modes and base in names:
            bases.setdefault(base, []).append(last)
        else:
            bases.setdefault(name, [])
    return [f"`{base}`" + (f" (and _{', _'.join(modes)})" if modes else "") for base, modes in sorted(bases.items())]


def wrapped(words, width=130):
    lines, line = [], ""
    for word in words:
        if line and len(line) + len(word) + 2 > width:
            lines.append(line + ",")
            line = word
        else:
            line = f"{line}, {word}" if line else word
    return [*lines, line]


def page(machine):
    done, refused, used, tested = done_names(machine), refused_names(machine), used_names(machine), tested_names(machine)
    covered = [name for name in used if name in done]
    uses = sum(used.values())
    share = 100 * sum(used[name] for name in covered) / uses
    lines = [
        f"# {machine.title}",
        "",
        f"Written by `tools/write_kernel_coverage` from the headers in `src/emulate/{machine.id}/include` and the programs in "
        f"`tests/kernels`; a test keeps it in step.",
        "",
        f"Done: {len(done)} names, {len(done & set(tested))} of them called by a program of the corpus. Of the {len(used)} {machine.subject} "
        f"counted in {', '.join(use_sources(machine))} ({uses} uses), {len(covered)} are done ({share:.1f}% of the uses).",
    ]
    if refused:
        lines.append(f"Refused by name, with file and line: {len(refused)} names.")
    lines += ["", "## By frequency", "", "| name | uses | here | programs that test it |", "|---|---|---|---|"]
    for name, count in sorted(used.items(), key=lambda item: (-item[1], item[0])):
        state = "done" if name in done else "refused" if name in refused else "not there"
        programs = len(tested.get(name, []))
        lines.append(f"| `{name}` | {count} | {state} | {programs if programs < MANY else f'{MANY} or more'} |")
    rest = done - set(used)
    for title, pattern in machine.kinds:
        kind = {name for name in rest if re.search(pattern, name)}
        rest -= kind
        lines += ["", f"## {title} done beside those", "", *wrapped(families(machine, kind))] if kind else []
    untested = done - set(tested)
    if untested:
        lines += ["", "## Done, called by no program of the corpus", ""]
        for reason, names in machine.untested:
            lines += [f"{reason}:", *wrapped(families(machine, untested & set(names))), ""]
        lines += wrapped(families(machine, untested - excused(machine)))
        while lines[-1] == "":
            lines.pop()
    if refused:
        lines += ["", "## Refused", "", *wrapped(families(machine, refused))]
    return "\n".join([*lines, ""])
