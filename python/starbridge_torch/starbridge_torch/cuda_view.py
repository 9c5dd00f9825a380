"""torch.cuda as programs written for CUDA see it: each attribute is looked up in the vendor's runtime when such a program asks, and in
torch.cuda itself when PyTorch or a package that knows the chip asks. Nothing is ever swapped back and forth, so threads cannot meet a
half-changed torch.cuda.
"""
from __future__ import annotations

import functools
import importlib
import inspect
import sys
import types
from typing import Any

import torch

from starbridge_torch import devices, telemetry, tensor_types, view

# Names of the vendors that differ from torch.cuda's.
RENAMED = {
    "npu": {"CUDAGraph": "NPUGraph", "CUDAPluggableAllocator": "NPUPluggableAllocator", "nvtx": "mstx"},
    "mlu": {"CUDAGraph": "MLUGraph", "nvtx": "cnpx", "nccl": "cncl"},
}
# In nvtx's place.
RANGES = {"npu": {"range": "mstx_range"}, "mlu": {}}

_original = types.ModuleType.__getattribute__
_targets: dict[str, Any] = {}  # name of a CUDA module -> the vendor's
_made: dict[tuple[str, str], Any] = {}


def _without_counterpart(path: str) -> Any:
    def missing(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"{path} has no counterpart in torch.{devices.backend}; starbridge scan names the alternatives")
    missing.__name__ = missing.__qualname__ = path.rpartition(".")[2]
    return missing


def _takes_device(function: Any) -> int | None:
    """Where the argument `device` stands."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None
    return names.index("device") if "device" in names else None


def _adapted(path: str, found: Any) -> Any:
    """The vendor's function or class, taking devices under their CUDA names too."""
    if inspect.isclass(found):
        if path == "torch.cuda.device":
            def begin(self: Any, device: Any) -> None:
                found.__init__(self, devices.of(device, path, sys._getframe(1)))
            return type("device", (found,), {"__init__": begin, "__module__": "torch.cuda"})
        return found
    if not callable(found):
        return found
    position = _takes_device(found)
    if position is None:
        return found
    from starbridge_torch.torch_api import device_argument

    make = device_argument(path, position)(found)
    return functools.wraps(found)(make)


def _counterpart(module: str, name: str, plain: Any) -> Any:
    """What stands for module.name on the device at hand."""
    path = f"{module}.{name}"
    if name in tensor_types.TYPES:
        return tensor_types.TYPES[name]
    table = RANGES if module == "torch.cuda.nvtx" else RENAMED
    target = _targets[module]
    wanted = table.get(devices.backend, {}).get(name, name)
    found = getattr(target, wanted, None) if target is not None else None
    if isinstance(plain, types.ModuleType):
        return plain if path in _targets else found if found is not None else plain
    if found is not None:
        return _adapted(path, found)
    if inspect.isclass(plain) or not callable(plain):
        return plain
    return _without_counterpart(path)


class _View(types.ModuleType):
    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            return _original(self, name)
        frame = sys._getframe(1)
        if not view.sees_cuda(frame):
            return _original(self, name)
        module = _original(self, "__name__")
        key = (module, name)
        value = _made.get(key)
        if value is None:
            try:
                plain = _original(self, name)
            except AttributeError:
                plain = None
                if getattr(_targets[module], name, None) is None:
                    raise
            value = _made[key] = _counterpart(module, name, plain)
        telemetry.record(frame, f"{module}.{name}")
        return value


def patch() -> None:
    runtime = torch.get_device_module(devices.backend)
    parts = {"torch.cuda": runtime}
    for name in ("amp", "amp.autocast_mode", "amp.grad_scaler", "memory", "random", "streams", "graphs", "nvtx", "comm"):
        try:
            importlib.import_module("torch.cuda." + name)
        except ImportError:
            continue
        first, _, rest = name.partition(".")
        target = getattr(runtime, RENAMED.get(devices.backend, {}).get(first, first), None)
        if rest:
            target = getattr(target, rest, target)
        # The vendors keep the functions of these modules in the runtime itself too.
        parts["torch.cuda." + name] = target if target is not None else runtime if name in ("memory", "random", "streams", "graphs") else None
    for path, target in parts.items():
        module = sys.modules[path]
        if not isinstance(module, _View):
            _targets[path] = target
            module.__class__ = _View
