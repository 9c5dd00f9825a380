"""Mutants of the emulated NVIDIA card: each must make a program of the corpus fail, else the corpus does not test what was changed.

mutate_cuda.py [--all]   Three kinds: headers with an operand swapped or a rounding changed; the runtime with a checker's condition changed;
the runtime with one rule at a time left out. With --all every one of them; else some of each kind."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("SB_BINARY_DIR", ROOT / "build/dev"))
PROGRAMS = ROOT / "tests/kernels/cuda"
HEADERS = ROOT / "src/emulate/cuda/include"
RUNTIME = ROOT / "src/emulate/cuda/runtime"

# Header, what it says, what the mutant says, program.
HEADER_MUTANTS = [
    ("starbridge/integer_intrinsics.h", "sb::clamp(x - y, -128, 127)", "sb::clamp(y - x, -128, 127)", "words"),
    ("starbridge/integer_intrinsics.h", "(x + y + 1) >> 1) SB_EACH(__vavgs4", "(x + y) >> 1) SB_EACH(__vavgs4", "words"),
    ("starbridge/integer_intrinsics.h", "return shift >= 32 ? low :", "return shift >= 31 ? low :", "words"),
    ("starbridge/rounded_math.h", "if (down && error < 0) return next_down(nearest);", "if (down && error > 0) return next_down(nearest);", "directed_roundings"),
    ("starbridge/rounded_math.h", "high != 0 ? sign_of(high) : sign_of(lost)", "sign_of(high)", "directed_roundings"),
    ("starbridge/rounded_math.h", "mode == 'u' ? __builtin_ceil(x)", "mode == 'u' ? __builtin_trunc(x)", "conversions"),
    ("starbridge/half_types.h", "if (lost == 0 || lost != lost", "if (true || lost != lost", "small_floats"),
    ("starbridge/half_types.h", "return type((float)a - (float)b);", "return type((float)b - (float)a);", "small_floats"),
    ("cuda_fp16.h", "const bool wants_down = mode == 'd' || (mode == 'z' && x > 0)", "const bool wants_down = mode == 'd'", "small_floats"),
    ("starbridge/warp.h", "const int self = (int)__sb_lane(), from = self ^ bits;", "const int self = (int)__sb_lane(), from = self ^ 1;", "softmax_warp"),
    ("starbridge/texture.h", "__sb_surface(object, x, y, z, mode, sizeof(T))) *place", "__sb_surface(object, x, z, y, mode, sizeof(T))) *place", "texture_shapes"),
    ("curand_kernel.h", "r.z = curand(s), r.w = curand(s);", "r.w = curand(s), r.z = curand(s);", "random_kinds"),
    ("curand_kernel.h", "float2{size * sinf(v), size * cosf(v)}", "float2{size * cosf(v), size * sinf(v)}", "random_kinds"),
    ("cuda_awbarrier_primitives.h", "__sb_phase_arrive(barrier, 1, 1)", "__sb_phase_arrive(barrier, 1, 0)", "host_calls_more"),
]

# Source of the runtime, what it says, what the mutant says, program: a right one must be called wrong, a wrong one right.
RUNTIME_MUTANTS = [
    ("lines.cpp", "if (earlier.interval != mine.interval) return is_shared || is_earlier(earlier.interval, block);", "if (earlier.interval != mine.interval) return true;", "wrong/global-race"),
    ("shadow.cpp", "line.initialised = is_known ? ~0U : 0;", "line.initialised = ~0U;", "wrong/uninitialised-read"),
]
MORE_RUNTIME_MUTANTS = [  # with --all
    ("lines.cpp", "if ((earlier.words & mine.words) == 0) return true;", "return true;", "wrong/shared-race"),
    ("lines.cpp", "if (!is_write && (mine.words & ~line.initialised) != 0) return false;", "", "wrong/uninitialised-read"),
    ("checker.cpp", "first_byte + bytes > line.usable) return false;", "false) return false;", "wrong/out-of-bounds"),
    ("barriers.cpp", "if (!is_there && settings().is_check && source != lane)", "if (false)", "wrong/shuffle-source"),
]

RULE_GATE = '''void report(const Finding& finding) {
  if (const char* off = std::getenv("SB_MUTANT_RULE"); off != nullptr && finding.rule == off) return;
'''


def compiler_words(source):
    for entry in json.loads((BINARY / "compile_commands.json").read_text()):
        if entry["file"] == str(source):
            return entry["directory"], entry.get("arguments") or shlex.split(entry["command"])
    sys.exit(f"{source} is not in compile_commands.json")


def mutated_text(path, old, new):
    text = path.read_text()
    if text.count(old) == 0:
        sys.exit(f"{path.name} no longer says: {old}")
    return text.replace(old, new, 1)


def build_runtime(folder, source, text):
    """A folder with the runtime, one source of it replaced."""
    folder.mkdir(parents=True)
    changed = folder / source.name
    changed.write_text(text)
    directory, words = compiler_words(source)
    original = words[words.index("-o") + 1]
    words[words.index("-o") + 1] = str(folder / "changed.o")
    words[words.index("-c") + 1] = str(changed)
    subprocess.run([*words, "-w"], cwd=directory, check=True)
    objects = sorted((BINARY / "src/emulate/cuda/CMakeFiles/starbridge_cuda.dir").rglob("*.o"))
    kept = [str(path) for path in objects if path != Path(directory) / original]
    if len(kept) != len(objects) - 1:
        sys.exit(f"the object of {source.name} is not where the build says")
    names = ROOT / "src/emulate/common/names.map"
    subprocess.run(["c++", "-shared", f"-Wl,--version-script={names}", "-Wl,-soname,libstarbridge_cuda.so", "-o", str(folder / "libstarbridge_cuda.so"),
                    str(folder / "changed.o"), *kept, "-ldl", "-lpthread"], check=True)
    return folder


def verdict(program, environment):
    """Does the corpus call the mutant broken?"""
    kind = "wrong" if program.startswith("wrong/") else "right"
    done = subprocess.run([sys.executable, str(ROOT / "tests/kernels/run_one.py"), kind, str(PROGRAMS / f"{program}.cu")],
                          env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    return done.returncode != 0, (done.stdout + done.stderr).strip().splitlines()[:1]


def header_mutant(folder, row):
    header, old, new, program = row
    tree = folder / "root"
    shutil.copytree(HEADERS, tree / "src/emulate/cuda/include")
    (tree / "src/emulate/common").mkdir()
    (tree / "src/emulate/common/include").symlink_to(ROOT / "src/emulate/common/include")
    (tree / "data").symlink_to(ROOT / "data")
    (tree / "src/emulate/cuda/include" / header).write_text(mutated_text(HEADERS / header, old, new))
    # The tests say where the installation is; the mutant's comes before it.
    return verdict(program, {"SB_KERNEL_TEST_ROOT": str(tree)})


def runtime_mutant(folder, row):
    source, old, new, program = row
    library = build_runtime(folder / "lib", RUNTIME / source, mutated_text(RUNTIME / source, old, new))
    return verdict(program, {"STARBRIDGE_KERNEL_LIB": str(library)})


def rules_of(program):
    return re.findall(r"// EXPECT ([\w-]+)", program.read_text())


def main():
    is_all = "--all" in sys.argv[1:]
    root = Path(tempfile.mkdtemp(prefix="starbridge-mutants-"))
    try:
        jobs = []
        for number, row in enumerate(HEADER_MUTANTS if is_all else HEADER_MUTANTS[::2]):
            jobs.append((f"{row[0]}: {row[2]}", header_mutant, root / f"header{number}", row))
        for number, row in enumerate(RUNTIME_MUTANTS + (MORE_RUNTIME_MUTANTS if is_all else [])):
            jobs.append((f"{row[0]}: {row[2] or 'without: ' + row[1]}", runtime_mutant, root / f"runtime{number}", row))
        gate = build_runtime(root / "rules", RUNTIME / "report.cpp",
                             "#include <cstdlib>\n" + mutated_text(RUNTIME / "report.cpp", "void report(const Finding& finding) {\n", RULE_GATE))
        wrongs = sorted((PROGRAMS / "wrong").glob("*.cu"))
        for program in wrongs if is_all else wrongs[::4]:
            for rule in sorted(set(rules_of(program))):
                jobs.append((f"{program.stem} without {rule}", lambda _, row: verdict(*row), None,
                             (f"wrong/{program.stem}", {"STARBRIDGE_KERNEL_LIB": str(gate), "SB_MUTANT_RULE": rule})))
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda job: (job[0], *job[1](job[2], job[3])), jobs))
        survivors = [name for name, is_caught, _ in results if not is_caught]
        for name, is_caught, why in results:
            if is_all or not is_caught:
                print(f"{'caught' if is_caught else 'SURVIVED'}  {name}  {' '.join(why)[:120]}")
        print(f"{len(results) - len(survivors)} of {len(results)} mutants caught")
        sys.exit(1 if survivors else 0)
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
