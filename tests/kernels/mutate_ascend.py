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
    ("asc_vector.h", "SB_BINARY(Sub, SB_SUB)", "SB_BINARY(Sub, SB_ADD)", "whole_tensors"),
    ("asc_vector.h", "SB_BINARY(Mul, SB_MUL)", "SB_BINARY(Mul, SB_ADD)", "whole_tensors"),
    ("asc_vector.h", "SB_BINARY(Div, SB_DIV)", "SB_BINARY(Div, SB_MUL)", "division"),
    ("asc_vector.h", "sb_source(call, src0);                                                                                                                       \\\n    sb_source(call, src1);",
     "sb_source(call, src1);                                                                                                                       \\\n    sb_source(call, src0);", "division"),
    ("asc_vector.h", "SB_BINARY_ONE_TYPE(Max, SB_MAX, 0)", "SB_BINARY_ONE_TYPE(Max, SB_MIN, 0)", "integers"),
    ("asc_vector.h", "SB_BINARY_ONE_TYPE(FusedMulAdd, SB_FUSED_MUL_ADD, 1)", "SB_BINARY_ONE_TYPE(FusedMulAdd, SB_MUL_ADD_DST, 1)", "fused"),
    ("asc_vector.h", "SB_BINARY_PLAIN(MulAddDst, SB_MUL_ADD_DST, 1)", "SB_BINARY_PLAIN(MulAddDst, SB_FUSED_MUL_ADD, 1)", "fused"),
    ("asc_vector.h", "SB_UNARY(Exp, SB_EXP)", "SB_UNARY(Exp, SB_LN)", "unary_float"),
    ("asc_vector.h", "SB_UNARY(Rsqrt, SB_RSQRT)", "SB_UNARY(Rsqrt, SB_SQRT)", "division"),
    ("asc_vector.h", "call.dst_rep = p.dstRepStride;", "call.dst_rep = p.dstRepStride + 1;", "sliced"),
    ("asc_vector.h", "call.src_blk[0] = p.src0BlkStride;", "call.src_blk[0] = p.src0BlkStride + 1;", "neighbours"),
    ("asc_vector.h", "call.mask[0] = low;", "call.mask[0] = low >> 1;", "sliced"),
    ("asc_math.h", "SB_MATH(Tanh, SB_TANH)", "SB_MATH(Tanh, SB_SIN)", "activations"),
    ("asc_math.h", "SB_MATH(Sin, SB_SIN)", "SB_MATH(Sin, SB_COS)", "maths"),
    ("asc_math.h", "SB_MATH(Floor, SB_FLOOR)", "SB_MATH(Floor, SB_TRUNC)", "more_maths"),
    ("asc_math.h", "SB_MATH(Round, SB_ROUND_EVEN)", "SB_MATH(Round, SB_CEIL)", "more_maths"),
    ("asc_math.h", "SB_MATH(Erf, SB_ERF)", "SB_MATH(Erf, SB_ERFC)", "more_maths"),
    ("asc_math.h", "SB_MATH_PAIR(Power, SB_POWER) SB_MATH_PAIR(Fmod, SB_FMOD)", "SB_MATH_PAIR(Power, SB_POWER) SB_MATH_PAIR(Fmod, SB_POWER)", "more_maths"),
    ("asc_math.h", 'sb_vec call = sb_make<T>("Gelu", SB_GELU_TANH', 'sb_vec call = sb_make<T>("Gelu", SB_SIGMOID', "gelu_family"),
    ("asc_reduce.h", "SB_REDUCE(ReduceSum, SB_REDUCE_SUM)", "SB_REDUCE(ReduceSum, SB_REDUCE_MAX)", "reductions"),
    ("asc_reduce.h", "SB_REDUCE(ReduceMax, SB_REDUCE_MAX)", "SB_REDUCE(ReduceMax, SB_REDUCE_MIN)", "argmax"),
    ("asc_reduce.h", "SB_BLOCK_REDUCE(PairReduceSum, SB_REDUCE_SUM, SB_PER_PAIR)", "SB_BLOCK_REDUCE(PairReduceSum, SB_REDUCE_SUM, SB_PER_BLOCK)", "repeat_reductions"),
    ("asc_reduce.h", "SB_BLOCK_REDUCE(BlockReduceMax, SB_REDUCE_MAX, SB_PER_BLOCK)", "SB_BLOCK_REDUCE(BlockReduceMax, SB_REDUCE_MIN, SB_PER_BLOCK)", "repeat_reductions"),
    ("asc_reduce.h", "call.order = static_cast<int>(order); ", "call.order = SB_INDEX_VALUE; ", "argmax"),
    ("asc_copy.h", "call.src_stride = call.bytes + static_cast<sb_long>(p.srcStride) * 32;", "call.src_stride = call.bytes;", "copy_strided"),
    ("asc_copy.h", "call.bytes = call.asked_bytes / 32 * 32;", "call.bytes = call.asked_bytes / 64 * 64;", "copy_padding"),
    ("asc_copy.h", "call.right_bytes = right * static_cast<int>(sizeof(T));", "call.right_bytes = 0;", "copy_padding"),
    ("asc_copy.h", "__sb_asc_set_atomic(SB_ATOMIC_ADD, sb_code<T>::value)", "__sb_asc_set_atomic(SB_ATOMIC_MAX, sb_code<T>::value)", "atomic_sum"),
    ("asc_copy.h", "__sb_asc_set_atomic(SB_ATOMIC_MAX, sb_code<T>::value)", "__sb_asc_set_atomic(SB_ATOMIC_ADD, sb_code<T>::value)", "atomic_max"),
    ("asc_select.h", "return SB_LT + static_cast<int>(mode);", "return SB_LT + (static_cast<int>(mode) ^ 1);", "compare_select"),
    ("asc_select.h", "call.src1 = src1.sb_address;\n  call.count = count;", "call.src1 = src0.sb_address;\n  call.count = count;", "compare_select"),
    ("asc_select.h", "call.pattern = pattern;", "call.pattern = pattern + 1;", "gather_mask"),
    ("asc_select.h", "base, count, 0, 0, 1, 8);", "base + 4, count, 0, 0, 1, 8);", "gather"),
    ("asc_select.h", "params.dstBlkStride, params.dstRepStride);\n}\ntemplate <typename T>\nSB_DEVICE void CreateVecIndex", "params.dstBlkStride, params.dstRepStride + 8);\n}\ntemplate <typename T>\nSB_DEVICE void CreateVecIndex", "fills"),
    ("asc_cube.h", "call.transposes = p.ifTranspose;", "call.transposes = 0;", "matmul_units"),
    ("asc_cube.h", "call.src_stride = p.srcStride;\n  call.dst_gap", "call.src_stride = 1;\n  call.dst_gap", "matmul_units"),
    ("asc_cube.h", "call.dst_stride = static_cast<int>(p.dstStride);", "call.dst_stride = static_cast<int>(p.dstStride) + 1;", "matmul_units"),
    ("asc_matmul.h", "call.k = Depth();", "call.k = Depth() - 1;", "matmul_object"),
    ("asc_matmul.h", "static_cast<sb_long>(m) * LeadingC() + n", "static_cast<sb_long>(n) * LeadingC() + m", "matmul_object"),
    ("asc_sync.h", "SB_DEVICE int64_t GetBlockNum() { return __sb_asc_system(1); }", "SB_DEVICE int64_t GetBlockNum() { return 1; }", "block_flags"),
    ("asc_types.h", "CAST_FLOOR, CAST_CEIL", "CAST_CEIL, CAST_FLOOR", "cast_rounding"),
    ("asc_types.h", "CAST_ROUND, CAST_TRUNC", "CAST_TRUNC, CAST_ROUND", "cast_rounding"),
    ("asc_types.h", "CAST_RINT, CAST_FLOOR", "CAST_FLOOR, CAST_RINT", "cast_rounding"),
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
