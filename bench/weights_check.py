#!/usr/bin/env python3
"""Compares `starbridge weights check` with reading the same files and with a PyTorch script that computes the same figures, in one run.

    "$(tools/torch_venv)/bin/python" bench/weights_check.py build/release/src/cli/starbridge [--megabytes 1024] [--repeat 3] [--folder DIR]

Two safetensors files of the given size are made in DIR: the same, or different in every element. The baseline "read" takes both files
in order, 4 MiB at a time, on one thread. "Cold" runs drop the files from the page cache first (posix_fadvise, after a sync); "cached" runs
follow a run that has read them. Each line gives the best of the repetitions and the spread; a ratio of 1 is the speed of reading.
"""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

PIECE = 4 << 20
TENSOR_ELEMENTS = 16 << 20


def write_safetensors(path, dtype, name, total_bytes, noise):
    """Random normal numbers, the same for the same seed; `noise` is relative."""
    size = torch.empty(0, dtype=dtype).element_size()
    counts, left = [], total_bytes // size
    while left > 0:
        counts.append(min(left, TENSOR_ELEMENTS))
        left -= counts[-1]
    header, offset = {}, 0
    for index, count in enumerate(counts):
        header[f"layers.{index}.weight"] = {"dtype": name, "shape": [count], "data_offsets": [offset, offset + count * size]}
        offset += count * size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # aligned, as the format's own writer leaves it
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for index, count in enumerate(counts):
            values = torch.randn(count, generator=torch.Generator().manual_seed(index)) * (1 + noise)
            file.write(memoryview(values.to(dtype).view(torch.uint8).numpy()))
        file.flush()
        os.fsync(file.fileno())


def drop_from_cache(paths):
    for path in paths:
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_in_order(paths):
    buffer = bytearray(PIECE)
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            while file.readinto(buffer):
                pass


def check_with_torch(paths):
    """The figures of `weights check` for floats: max abs, max rel, ULP, cosine, elements beyond the tolerance."""
    files = []
    for path in paths:
        content = torch.from_file(str(path), size=os.path.getsize(path), dtype=torch.uint8)
        size = struct.unpack("<Q", bytes(content[:8].tolist()))[0]
        files.append((content[8 + size :], json.loads(bytes(content[8 : 8 + size].tolist()))))
    dtypes = {"F32": (torch.float32, torch.int32), "BF16": (torch.bfloat16, torch.int16)}
    for name, row in files[0][1].items():
        begin, end = row["data_offsets"]
        dtype, bits = dtypes[row["dtype"]]
        left, right = (file[0][begin:end].view(dtype) for file in files)
        if torch.equal(left, right):
            continue
        a, b = left.double(), right.double()
        gap, size = (a - b).abs(), a.abs()
        gap.max(), (gap / size).max(), (left.view(bits).long() - right.view(bits).long()).abs().max()
        a.dot(b) / (a.norm() * b.norm()), (gap > 1e-5 + 1.3e-6 * size).sum()


def timed(action, before, repeat):
    times = []
    for _ in range(repeat):
        before()
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return times


def show(label, times, total_bytes, baseline):
    rate = lambda seconds: total_bytes / seconds / 1e9
    print(f"  {label:<18} {rate(min(times)):6.2f} GB/s  (spread {rate(max(times)):.2f} to {rate(min(times)):.2f})  ratio {min(baseline) / min(times):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--megabytes", type=int, default=1024, help="of each of the two files")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--folder", default=None)
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} processors, load {load:.1f} before the run, torch {torch.__version__} with {torch.get_num_threads()} threads")
    with tempfile.TemporaryDirectory(prefix="starbridge-bench-", dir=arguments.folder) as folder:
        for name, dtype in (("F32", torch.float32), ("BF16", torch.bfloat16)):
            for kind, noise in (("identical", 0.0), ("every element differs", 1e-2)):
                paths = [Path(folder) / "a.safetensors", Path(folder) / "b.safetensors"]
                write_safetensors(paths[0], dtype, name, arguments.megabytes << 20, 0.0)
                write_safetensors(paths[1], dtype, name, arguments.megabytes << 20, noise)
                total = sum(path.stat().st_size for path in paths)
                check = lambda: subprocess.run([arguments.binary, "weights", "check", "-q", *map(str, paths)], stdout=subprocess.DEVNULL)
                for state, before in (("cold", lambda: drop_from_cache(paths)), ("cached", lambda: None)):
                    if state == "cached":
                        read_in_order(paths)
                    print(f"{name}, {kind}, {state}, {total / 1e9:.1f} GB")
                    baseline = timed(lambda: read_in_order(paths), before, arguments.repeat)
                    show("read", baseline, total, baseline)
                    show("weights check", timed(check, before, arguments.repeat), total, baseline)
                    show("torch script", timed(lambda: check_with_torch(paths), before, 1), total, baseline)
                sys.stdout.flush()


if __name__ == "__main__":
    main()
