"""torch.npu / torch.mlu: devices, properties, synchronisation."""
from __future__ import annotations

import os
import threading
import types
from typing import Any

import torch

from starbridge_emulated import _C, profile as _profile

_state = {"initialized": False, "bad_fork": False}
_lock = threading.Lock()


def _backend() -> str:
    return _profile.current().backend


def _after_fork() -> None:
    if _state["initialized"]:
        _state["bad_fork"] = True


os.register_at_fork(after_in_child=_after_fork)


def _lazy_init() -> None:
    if _state["bad_fork"]:
        label = _backend().upper()
        raise RuntimeError(f"Cannot re-initialize {label} in forked subprocess. To use {label} with multiprocessing, "
                           "you must use the 'spawn' start method")
    _state["initialized"] = True


def init() -> None:
    _lazy_init()


def is_initialized() -> bool:
    return _state["initialized"] and not _state["bad_fork"]


def _is_in_bad_fork() -> bool:
    return _state["bad_fork"]


def is_available() -> bool:
    return _C.device_count() > 0


def device_count() -> int:
    return _C.device_count()


def current_device() -> int:
    _lazy_init()
    return _C.current_device()


def _index(device: Any, optional: bool = True) -> int:
    if device is None and optional:
        return _C.current_device()
    if isinstance(device, int):
        return device
    chosen = torch.device(device) if isinstance(device, str) else device
    if isinstance(chosen, torch.device):
        if chosen.type != _backend():
            raise ValueError(f"Expected a {_backend()} device, but got: {device}")
        return _C.current_device() if chosen.index is None else chosen.index
    raise ValueError(f"Expected a torch.device, a string or an index, but got: {device!r}")


def set_device(device: Any) -> None:
    index = _index(device)
    if index < 0:
        return
    _lazy_init()
    _C.set_device(index)


class device:
    """Context manager: the current device inside the block."""

    def __init__(self, device: Any) -> None:
        self.idx = _index(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = _C.current_device()
        if self.idx >= 0:
            set_device(self.idx)

    def __exit__(self, *_: Any) -> bool:
        _C.set_device(self.prev_idx)
        return False


class device_of(device):
    """Context manager: the device of a tensor; nothing for a tensor elsewhere."""

    def __init__(self, obj: torch.Tensor) -> None:
        super().__init__(obj.get_device() if obj.device.type == _backend() else -1)


def synchronize(device: Any = None) -> None:
    _lazy_init()
    _check(_index(device))


def _check(index: int) -> int:
    if not 0 <= index < _C.device_count():
        raise RuntimeError(f"Invalid device index {index}: this process sees {_C.device_count()} emulated device(s)")
    return index


def get_device_name(device: Any = None) -> str:
    return get_device_properties(device).name


def get_device_properties(device: Any = None) -> types.SimpleNamespace:
    _lazy_init()
    index = _check(_index(device))
    chosen = _profile.current()
    values = {"name": chosen.chip_name, **chosen.properties, "total_memory": _C.memory(index)["capacity_bytes"]}
    values.update(chip=chosen.chip, chip_name=chosen.chip_name, emulated=True,
                  physical_index=_profile.visible_devices(chosen)[index])
    return types.SimpleNamespace(**values)


def get_device_capability(device: Any = None) -> Any:
    _check(_index(device))
    if _backend() == "npu":
        text = os.environ.get("TORCH_NPU_DEVICE_CAPABILITY")
        return tuple(int(part) for part in text.split(".")) if text else None
    major = _profile.current().properties.get("major")
    return None if major is None else (int(major), 0)


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return is_available() and "bfloat16" not in _profile.current().dtypes_unsupported


def can_device_access_peer(device: int, peer: int) -> bool:
    return _check(device) != _check(peer)


def get_amp_supported_dtype() -> list[torch.dtype]:
    names = ("float16", "bfloat16", "float32")
    return [getattr(torch, name) for name in names if name not in _profile.current().dtypes_unsupported]


def utilization(device: Any = None) -> int:
    _check(_index(device))
    return 0


def is_current_stream_capturing() -> bool:
    return False


def _sleep(cycles: int) -> None:
    """Kernels run at once here; there is nothing to keep busy."""
