"""Shared by the tests of the weights tools: random tensors, a second XXH64, a safetensors writer, the command itself."""

import json
import os
import random
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import torch

BINARY = os.environ["STARBRIDGE_BIN"]
FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz]
INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.uint16, torch.int32, torch.uint32, torch.int64, torch.uint64, torch.bool]
COMPLEX = [torch.complex32, torch.complex64, torch.complex128]
SAFETENSORS = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.float8_e4m3fn: "F8_E4M3",
               torch.float8_e5m2: "F8_E5M2", torch.float8_e4m3fnuz: "F8_E4M3FNUZ", torch.float8_e5m2fnuz: "F8_E5M2FNUZ", torch.uint8: "U8", torch.int8: "I8",
               torch.int16: "I16", torch.uint16: "U16", torch.int32: "I32", torch.uint32: "U32", torch.int64: "I64", torch.uint64: "U64",
               torch.bool: "BOOL", torch.complex64: "C64"}


def run(*arguments, expect=None):
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, env=environment, timeout=300)
    if expect is not None and done.returncode != expect:
        raise AssertionError(f"exit code {done.returncode}, not {expect}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def run_json(*arguments, expect=0):
    return json.loads(run(*arguments, "--json", expect=expect).stdout)


def bytes_of(tensor):
    """The elements in logical order, resolved, as little-endian bytes."""
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous().clone()
    return bytes(plain.untyped_storage())[: plain.numel() * plain.element_size()]


def random_tensor(dtype, shape, generator):
    """Any bit pattern for whole numbers; for floats mostly ordinary numbers with zeros of both signs and subnormals among them."""
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).bool()
    if dtype in INTEGERS:
        size = torch.empty(0, dtype=dtype).element_size()
        count = max(1, torch.Size(shape).numel())
        raw = torch.randint(0, 256, (count * size,), dtype=torch.uint8, generator=generator)
        return raw.view(dtype)[: torch.Size(shape).numel()].reshape(shape).clone()
    if dtype in COMPLEX:
        part = {torch.complex32: torch.float16, torch.complex64: torch.float32, torch.complex128: torch.float64}[dtype]
        return torch.view_as_complex(torch.stack([random_tensor(part, shape, generator), random_tensor(part, shape, generator)], -1).contiguous()).clone()
    values = torch.randn(shape, dtype=torch.float64, generator=generator)
    scale = torch.randint(0, 20, shape, generator=generator)
    values = torch.where(scale == 0, torch.zeros_like(values), values)
    values = torch.where(scale == 1, -torch.zeros_like(values), values)
    values = torch.where(scale == 2, values * (1e-40 if dtype in (torch.float32, torch.bfloat16) else 1e-7), values)
    return values.to(dtype)


def random_shape(rng, elements_max=3000):
    shape = []
    while len(shape) < 4 and rng.random() < 0.75:
        shape.append(rng.randint(0 if rng.random() < 0.1 else 1, 40))
    while shape and torch.Size(shape).numel() > elements_max:
        shape[rng.randrange(len(shape))] //= 2
    return shape


def safetensors_bytes(tensors, metadata=None):
    header, data = ({"__metadata__": metadata} if metadata else {}), b""
    for name, tensor in tensors.items():
        raw = bytes_of(tensor)
        header[name] = {"dtype": SAFETENSORS[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def read_safetensors(path):
    """name -> tensor, read by the format's definition."""
    content = Path(path).read_bytes()
    size = struct.unpack_from("<Q", content)[0]
    header = json.loads(content[8 : 8 + size])
    metadata = header.pop("__metadata__", {})
    dtypes = {name: dtype for dtype, name in SAFETENSORS.items()}
    found, end = {}, 0
    for name, row in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        first, last = row["data_offsets"]
        assert first == end, f"{name} leaves a hole"
        end = last
        raw = bytearray(content[8 + size + first : 8 + size + last])
        flat = torch.frombuffer(raw, dtype=torch.uint8).view(dtypes[row["dtype"]]) if raw else torch.empty(0, dtype=dtypes[row["dtype"]])
        found[name] = flat.reshape(row["shape"])
    assert len(content) == 8 + size + end, "bytes behind the last tensor"
    return found, metadata


MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = 11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261


def rotl(value, count):
    return ((value << count) | (value >> (64 - count))) & MASK


def xxh64(data):
    def step(lane, value):
        return rotl((lane + value * P2) & MASK, 31) * P1 & MASK

    at, size = 0, len(data)
    if size >= 32:
        lanes = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        while at + 32 <= size:
            lanes = [step(lane, value) for lane, value in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        value = sum(rotl(lane, turn) for lane, turn in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            value = ((value ^ step(0, lane)) * P1 + P4) & MASK
    else:
        value = P5
    value = (value + size) & MASK
    while at + 8 <= size:
        value = (rotl(value ^ step(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4) & MASK
        at += 8
    if at + 4 <= size:
        value = (rotl(value ^ (struct.unpack_from("<I", data, at)[0] * P1 & MASK), 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        value = rotl(value ^ (byte * P5 & MASK), 11) * P1 & MASK
    value = (value ^ (value >> 33)) * P2 & MASK
    value = (value ^ (value >> 29)) * P3 & MASK
    return f"{value ^ (value >> 32):016x}"


class WeightsCase(unittest.TestCase):
    seed = 20240601

    def setUp(self):
        self.rng = random.Random(self.seed)
        self.generator = torch.Generator().manual_seed(self.seed)
        holder = tempfile.TemporaryDirectory(prefix="starbridge-weights-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def path(self, name):
        return self.folder / name

    def write(self, name, content):
        self.path(name).write_bytes(content)
        return self.path(name)

    def some_tensors(self, dtypes=None, count=2):
        found = {}
        for dtype in dtypes or FLOATS + INTEGERS + COMPLEX:
            for number in range(count):
                found[f"{str(dtype).split('.')[1]}.{number}"] = random_tensor(dtype, random_shape(self.rng), self.generator)
        return found
