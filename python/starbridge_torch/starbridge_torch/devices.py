"""Values that name a CUDA device, turned into the device at hand. Only ever called on the argument that is a device."""
from __future__ import annotations

import sys
from typing import Any

import torch

from starbridge_torch import telemetry, view

BACKENDS = {"npu": ("torch_npu", "hccl"), "mlu": ("torch_mlu", "cncl"), "musa": ("torch_musa", "mccl")}

backend = ""  # "npu", once the interception is active
collective = ""  # "hccl"

Device = torch.device


def names_cuda(value: Any) -> bool:
    kind = type(value)
    if kind is str:
        return value == "cuda" or value.startswith("cuda:")
    if kind is Device:
        return bool(real_type(value) == "cuda")
    return kind is int


def real_type(device: torch.device) -> str:
    """The type a device really has; the attribute answers by who asks (builtins.py)."""
    return _read_type(device)


_read_type = Device.__dict__["type"].__get__


def of(value: Any, name: str, frame: Any = None) -> Any:
    """`value`, or the device at hand when it names a CUDA device by text, number or object. Counted as a call of `name`."""
    if value is None or not names_cuda(value):
        return value
    asking = view.caller_of(frame or sys._getframe(1))
    if view.is_opted_out(asking):
        return value
    telemetry.record(asking, name)
    if type(value) is int:
        return f"{backend}:{value}" if value >= 0 else value
    if type(value) is str:
        return backend + value[4:]
    index = value.index
    return backend if index is None else f"{backend}:{index}"


def kind_of(value: Any, name: str) -> Any:
    """The same for a type of device, "cuda": arguments called device_type."""
    return of(value, name, sys._getframe(1)) if type(value) is str else value


def collective_of(value: Any, name: str) -> Any:
    """Names of collective backends: "nccl", "cuda:nccl", "cpu:gloo,cuda:nccl"."""
    if type(value) is not str or "nccl" not in value.lower():
        return value
    asking = view.caller_of(sys._getframe(1))
    if view.is_opted_out(asking):
        return value
    telemetry.record(asking, name)
    pairs = [pair.split(":") for pair in value.split(",")]
    words = {"nccl": collective, "cuda": backend}
    return ",".join(":".join(words.get(word.strip().lower(), word) for word in pair) for pair in pairs)


def as_asked(kind: str, frame: Any, name: str) -> str:
    """A device type as the asking code knows it: "cuda" for the device at hand, for programs written for CUDA."""
    if kind == backend and view.sees_cuda(frame):
        telemetry.record(frame, name)
        return "cuda"
    return kind
