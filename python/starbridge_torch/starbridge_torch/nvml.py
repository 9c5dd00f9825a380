"""A stand-in for pynvml, put in its place only where NVIDIA's library is not: what the vendor's runtime knows, and NVML's own error
"not supported" for the rest. Numbers are never invented.
"""
from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any

import torch

from starbridge_torch import devices, telemetry, view

NVML_SUCCESS, NVML_ERROR_UNINITIALIZED, NVML_ERROR_INVALID_ARGUMENT, NVML_ERROR_NOT_SUPPORTED = 0, 1, 2, 3


class NVMLError(Exception):
    def __init__(self, value: int, text: str = "") -> None:
        super().__init__(text or f"NVML error {value}")
        self.value = value


class NVMLError_NotSupported(NVMLError):
    pass


class NVMLError_Uninitialized(NVMLError):
    pass


class NVMLError_InvalidArgument(NVMLError):
    pass


_state = {"is_on": False}


def _runtime() -> Any:
    if not _state["is_on"]:
        raise NVMLError_Uninitialized(NVML_ERROR_UNINITIALIZED, "nvmlInit() was not called")
    telemetry.record(view.caller(), "pynvml")
    return torch.get_device_module(devices.backend)


class _Handle:
    def __init__(self, index: int) -> None:
        self.index = index


def nvmlInit() -> None:
    _state["is_on"] = True


def nvmlInitWithFlags(flags: int) -> None:
    nvmlInit()


def nvmlShutdown() -> None:
    _state["is_on"] = False


def nvmlDeviceGetCount() -> int:
    return int(_runtime().device_count())


def nvmlDeviceGetHandleByIndex(index: int) -> _Handle:
    if not 0 <= index < nvmlDeviceGetCount():
        raise NVMLError_InvalidArgument(NVML_ERROR_INVALID_ARGUMENT, f"there is no card {index}")
    return _Handle(index)


def nvmlDeviceGetIndex(handle: _Handle) -> int:
    return handle.index


def nvmlDeviceGetName(handle: _Handle) -> str:
    return str(_runtime().get_device_name(handle.index))


def nvmlDeviceGetMemoryInfo(handle: _Handle, version: Any = None) -> types.SimpleNamespace:
    free, total = _runtime().mem_get_info(handle.index)
    return types.SimpleNamespace(total=total, free=free, used=total - free)


def nvmlDeviceGetUtilizationRates(handle: _Handle) -> types.SimpleNamespace:
    read = getattr(_runtime(), "utilization", None)
    if read is None:
        raise _not_supported("nvmlDeviceGetUtilizationRates")
    return types.SimpleNamespace(gpu=read(handle.index), memory=0)


def _not_supported(name: str) -> NVMLError:
    return NVMLError_NotSupported(NVML_ERROR_NOT_SUPPORTED, f"{name}: torch.{devices.backend} does not tell this; use the vendor's own tool")


nvmlDeviceGetCount_v2, nvmlDeviceGetHandleByIndex_v2, nvmlInit_v2 = nvmlDeviceGetCount, nvmlDeviceGetHandleByIndex, nvmlInit


def __getattr__(name: str) -> Any:
    if not name.startswith("nvml"):
        raise AttributeError(f"module 'pynvml' (starbridge_torch's stand-in) has no attribute {name!r}")

    def refuse(*_: Any, **__: Any) -> Any:
        raise _not_supported(name)
    return refuse


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Last in line for a missing pynvml."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        return importlib.machinery.ModuleSpec(name, self, origin="starbridge_torch") if name == "pynvml" else None

    def create_module(self, spec: Any) -> types.ModuleType:
        return sys.modules[__name__]

    def exec_module(self, module: types.ModuleType) -> None:
        return None


def _has_driver() -> bool:
    import ctypes

    try:
        ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return False
    return True


def stand_in() -> None:
    if any(isinstance(finder, _Finder) for finder in sys.meta_path) or _has_driver():
        return
    # An installed pynvml could only fail here.
    sys.meta_path.insert(0, _Finder())
