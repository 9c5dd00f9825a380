"""Mutations of the emulated Ascend core: each must be noticed by a program of the corpus.

  mutate_ascend.py [N]     every mutation, or N of them spread evenly

A mutation is an edit of the headers (an operation for another, operands exchanged, a rounding, a mask, a stride or a length changed),
seen by the command through a root of its own; nothing is compiled anew but the programs that call what changed."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STARBRIDGE = os.environ.get("STARBRIDGE_BIN", str(ROOT / "build/dev/src/cli/starbridge"))
PROGRAMS = ROOT / "tests/kernels/ascend"
HEADERS = "src/emulate/ascend/include/starbridge"

# (header, text, what it becomes, the program that must notice)
MUTATIONS = (
    ("asc_vector.h", "SB_BINARY(Add, SB_ADD)", "SB_BINARY(Add, SB_SUB)", "vector_add"),
    ("asc_vector.h", "SB_BINARY(Div, SB_DIV)", "SB_BINARY(Div, SB_MUL)", "division"),
    ("asc_vector.h", "SB_BINARY_PLAIN(MulAddDst, SB_MUL_ADD_DST, 1)", "SB_BINARY_PLAIN(MulAddDst, SB_FUSED_MUL_ADD, 1)", "fused"),
    ("asc_math.h", "SB_MATH(Sin, SB_SIN)", "SB_MATH(Sin, SB_COS)", "maths"),
    ("asc_math.h", "SB_MATH_PAIR(Power, SB_POWER) SB_MATH_PAIR(Fmod, SB_FMOD)", "SB_MATH_PAIR(Power, SB_POWER) SB_MATH_PAIR(Fmod, SB_POWER)", "more_maths"),
    ("asc_reduce.h", "SB_BLOCK_REDUCE(PairReduceSum, SB_REDUCE_SUM, SB_PER_PAIR)", "SB_BLOCK_REDUCE(PairReduceSum, SB_REDUCE_SUM, SB_PER_BLOCK)", "repeat_reductions"),
    ("asc_copy.h", "call.src_stride = call.bytes + static_cast<sb_long>(p.srcStride) * 32;", "call.src_stride = call.bytes;", "copy_strided"),
    ("asc_copy.h", "__sb_asc_set_atomic(SB_ATOMIC_MAX, sb_code<T>::value)", "__sb_asc_set_atomic(SB_ATOMIC_ADD, sb_code<T>::value)", "atomic_max"),
    ("asc_select.h", "base, count, 0, 0, 1, 8);", "base + 4, count, 0, 0, 1, 8);", "gather"),
    ("asc_cube.h", "call.src_stride = p.srcStride;\n  call.dst_gap", "call.src_stride = 1;\n  call.dst_gap", "matmul_units"),
)


def mutated_root(folder, header, old, new):
    root = Path(folder)
    for entry in ("data", "tests"):
        (root / entry).symlink_to(ROOT / entry)
    (root / "src/emulate").mkdir(parents=True)
    (root / "src/emulate/common").symlink_to(ROOT / "src/emulate/common")
    shutil.copytree(ROOT / "src/emulate/ascend/include", root / "src/emulate/ascend/include")
    target = root / HEADERS / header
    text = target.read_text()
    if old not in text:
        sys.exit(f"{header}: \"{old}\" is no longer there")
    target.write_text(text.replace(old, new))
    return root


def is_noticed(header, old, new, program):
    with tempfile.TemporaryDirectory() as folder:
        root = mutated_root(folder, header, old, new)
        done = subprocess.run([STARBRIDGE, "kernel", "run", "--time-limit", "30", str(PROGRAMS / f"{program}.asc")], capture_output=True, text=True,
                              env={**os.environ, "STARBRIDGE_ROOT": str(root)}, timeout=100)
        if done.returncode == 3 or "does_not_compile" in done.stderr:
            raise SystemExit(f"{header}: \"{new}\" does not compile: {done.stdout}{done.stderr}")
        return done.returncode != 0


def main():
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else len(MUTATIONS)
    chosen = [MUTATIONS[i * len(MUTATIONS) // limit] for i in range(limit)]
    with ThreadPoolExecutor(max_workers=2) as pool:
        noticed = list(pool.map(lambda mutation: is_noticed(*mutation), chosen))
    alive = [mutation for mutation, is_seen in zip(chosen, noticed) if not is_seen]
    print(f"{len(chosen) - len(alive)} of {len(chosen)} mutations noticed")
    if alive:
        sys.exit("not noticed:\n" + "\n".join(f"{header}: {re.sub(' +', ' ', old)} -> {re.sub(' +', ' ', new)} ({program})" for header, old, new, program in alive))


if __name__ == "__main__":
    main()
