"""Types of PyTorch that are written in C and refuse new attributes: torch.device, torch.Generator, torch.Stream.

Replacing the name torch.device by another class would break isinstance, annotations, TorchScript and everything imported before. So the
type object itself is changed, once, while its flag "immutable" is down. Where the flags stand in a type object is checked against what
Python says of them before anything is written; CPython 3.10 and later on 64 bits.
"""
from __future__ import annotations

import ctypes
import sys
from typing import Any, Callable

import torch

from starbridge_torch import devices, telemetry, view

_IMMUTABLE = 1 << 8
_FLAGS_AT = 168  # PyTypeObject.tp_flags
_BASICSIZE_AT = 32
_NEW_AT = 312  # PyTypeObject.tp_new


class UnsupportedPython(RuntimeError):
    pass


def check_python() -> None:
    kind = torch.device
    is_known = sys.implementation.name == "cpython" and sys.version_info >= (3, 10) and sys.maxsize > 2**32
    if is_known:
        is_known = (ctypes.c_ulong.from_address(id(kind) + _FLAGS_AT).value == kind.__flags__
                    and ctypes.c_ssize_t.from_address(id(kind) + _BASICSIZE_AT).value == kind.__basicsize__)
    if not is_known:
        raise UnsupportedPython("starbridge_torch needs CPython 3.10 or later on 64 bits: it changes how torch.device answers")


def set_attributes(kind: type, values: dict[str, Any]) -> None:
    flags = ctypes.c_ulong.from_address(id(kind) + _FLAGS_AT)
    was_immutable = flags.value & _IMMUTABLE
    flags.value &= ~_IMMUTABLE
    try:
        for name, value in values.items():
            type.__setattr__(kind, name, value)
    finally:
        flags.value |= was_immutable


def _new_of(kind: type) -> Callable[[type, tuple[Any, ...], dict[str, Any]], Any]:
    """The C function behind `kind(...)`; object.__new__ would refuse once the slot is taken."""
    address = ctypes.c_void_p.from_address(id(kind) + _NEW_AT).value
    if not address:
        raise UnsupportedPython(f"{kind} cannot be made by calling it")
    return ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.py_object, ctypes.py_object)(address)


def patch_device() -> None:
    kind = torch.device
    make = _new_of(kind)
    read_type, read_str = devices.real_type, kind.__str__

    def new(cls: type, *arguments: Any, **keywords: Any) -> Any:
        if arguments:
            first = arguments[0]
            if type(first) is str and first[:4] == "cuda" or type(first) is int and len(arguments) == 1 and not keywords:
                arguments = (devices.of(first, "torch.device", sys._getframe(1)), *arguments[1:])
        elif keywords:
            for name in ("type", "device"):
                if name in keywords:
                    keywords[name] = devices.of(keywords[name], "torch.device", sys._getframe(1))
        return make(cls, arguments, keywords)

    def device_type(self: Any) -> str:
        return devices.as_asked(read_type(self), sys._getframe(1), "torch.device.type")

    def as_text(self: Any) -> str:
        text: str = read_str(self)
        real = read_type(self)
        if real != devices.backend:
            return text
        return devices.as_asked(real, sys._getframe(1), "str(torch.device)") + text[len(real):]

    set_attributes(kind, {"__new__": staticmethod(new), "type": property(device_type), "__str__": as_text})


def patch_generator() -> None:
    for kind, name in ((torch.Generator, "torch.Generator"), (getattr(torch, "Stream", None), "torch.Stream")):
        if kind is None:
            continue
        make = _new_of(kind)

        def new(cls: type, *arguments: Any, _make: Any = make, _name: str = name, **keywords: Any) -> Any:
            if arguments:
                arguments = (devices.of(arguments[0], _name, sys._getframe(1)), *arguments[1:])
            if "device" in keywords:
                keywords["device"] = devices.of(keywords["device"], _name, sys._getframe(1))
            return _make(cls, arguments, keywords)

        set_attributes(kind, {"__new__": staticmethod(new)})


def view_property(owner: type, name: str, read: Callable[[Any], Any], label: str) -> None:
    """An attribute such as is_cuda: true of the device at hand when a program written for CUDA asks."""
    def answer(self: Any) -> Any:
        frame = sys._getframe(1)
        if view.sees_cuda(frame) and read(self):
            telemetry.record(frame, label)
            return True
        return False

    setattr(owner, name, property(answer))
