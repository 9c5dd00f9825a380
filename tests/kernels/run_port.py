#!/usr/bin/env python3
"""One program of tests/kernels/port through `kernel verify`, one that must be refused, or ports that were tampered with.

    run_port.py right|refused PROGRAM CHIP
    run_port.py mutated CHIP
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BIN = os.environ["STARBRIDGE_BIN"]


def run(*words):
    return subprocess.run([BIN, "--json", *map(str, words)], capture_output=True, text=True)


def right(program, folder, chip):
    done = run("kernel", "verify", program, "--to", chip, "-o", folder)
    if done.returncode != 0:
        sys.exit(f"{program.name}: exit {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    report = json.loads(done.stdout)
    assert report["verified"] and report["copies"] > 0 and report["emulated"] and report["chip"] == chip, report
    for kernel in report["kernels"]:
        print(kernel["kernel"], kernel["vector_arithmetic_percent"], "% vector; class", report["class"])


def refused(program, folder, chip):
    wanted = re.match(r"// refused: (.*)", program.read_text()).group(1)
    done = run("kernel", "port", program, "--to", chip, "-o", folder)
    words = done.stdout + done.stderr
    if done.returncode != 3 or "kernel.cannot_port" not in words or wanted not in words or program.name not in words:
        sys.exit(f"{program.name}: exit {done.returncode}, wanted a refusal naming \"{wanted}\"\n{words[-2000:]}")
    assert re.search(r"\.cu:\d+|\"line\": \d+", words), words
    assert not any(Path(folder).iterdir()) if Path(folder).exists() else True, "a refused program left files"


# What a broken pass would do to the emitted code; each must be caught.
BANG_MUTATIONS = [
    ("saxpy.cu", "__bang_add(", "__bang_sub("),
    ("saxpy.cu", "block += taskDim", "block += taskDim + 1"),
    ("saxpy.cu", "(float)a, ", "(float)(a + 0.001f), "),
    ("tree_sum.cu", "k = (k >> 1)", "k = (k >> 2)"),
    ("tree_sum.cu", "__bang_write_value((float*)(mine), threads, (float)0.0f)", "__bang_write_value((float*)(mine), threads, (float)1.0f)"),
    ("histogram.cu", "port::add_here", "port::exch_here"),
    ("integer_bits.cu", ">> 13", ">> 12"),
    ("warp_scan_volatile.cu", "- 16)", "- 15)"),
    ("matmul_tiles.cu", "row_at = (int)(thread_z * block_y + thread_y) * threads", "row_at = 0"),
]


ASCEND_MUTATIONS = [
    ("saxpy.cu", "port::add(", "port::sub("),
    ("saxpy.cu", "block = AscendC::GetBlockIdx()", "block = AscendC::GetBlockIdx() + 1"),
    ("saxpy.cu", "(float)a, ", "(float)(a + 0.001f), "),
    ("tree_sum.cu", "port::write_value((port::At<float>)(mine), threads, (float)0.0f)", "port::write_value((port::At<float>)(mine), threads, (float)1.0f)"),
    ("histogram.cu", "port::add_here", "port::exch_here"),
    ("histogram.cu", "port::atomic_reduce_add", "port::alone_add"),  # cores that add to one word without the chip's atomics
    ("atomics_with_old_values.cu", "kCores = 1;", "kCores = 40;"),
    ("integer_bits.cu", ">> 13", ">> 12"),
    ("warp_scan_volatile.cu", "- 16)", "- 15)"),
    ("matmul_tiles.cu", "row_at = (int)(thread_z * block_y + thread_y) * threads", "row_at = 0"),
    ("partial_lanes.cu", "core.begin(", "core.begin(16384 + "),  # more of UB than there is
]


def mutated(folder, chip):
    source = Path(__file__).parent / "port"
    caught = 0
    is_ascend = chip.startswith("ascend")
    for name, old, new in ASCEND_MUTATIONS if is_ascend else BANG_MUTATIONS:
        place = Path(folder) / str(caught)
        done = run("kernel", "port", source / name, "--to", chip, "-o", place)
        assert done.returncode == 0, done.stderr
        program = place / Path(name).with_suffix(".asc" if is_ascend else ".mlu").name
        text = program.read_text()
        if old not in text and "half_v = (half_v >> 1)" in text and "k >> 1" in old:
            old, new = "half_v = (half_v >> 1)", "half_v = (half_v >> 2)"
        assert old in text, f"{name}: \"{old}\" is no longer emitted"
        program.write_text(text.replace(old, new))
        done = run("kernel", "verify", source / name, "--to", chip, "-o", place / "fresh", "--against", program)
        if done.returncode == 0:
            sys.exit(f"{name} with {new} was called verified")
        assert done.returncode == 1, done.stderr
        caught += 1
    print(f"{caught} mutations caught")


def main():
    kind = sys.argv[1]
    folder = tempfile.mkdtemp(prefix="starbridge-port-test-")
    try:
        if kind == "mutated":
            mutated(folder, sys.argv[2])
        else:
            {"right": right, "refused": refused}[kind](Path(sys.argv[2]), folder, sys.argv[3])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
