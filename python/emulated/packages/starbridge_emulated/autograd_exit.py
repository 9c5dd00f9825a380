"""Lets the threads of autograd finish before the interpreter does.

PyTorch runs the backward pass of a device on a thread of its own. The caller goes on as soon as the gradients are there, while that
thread still drops the graph, and with it hooks that are Python objects. A process that ends in that moment takes the interpreter from
under it and aborts. One more empty backward pass per device is queued behind the last one: when it is done, the thread holds nothing.
"""
from __future__ import annotations

import atexit
import os
import pathlib

import torch

from starbridge_emulated import _C, runtime

_THREAD_NAME = "pt_autograd_"
_kept: list[torch.Tensor] = []  # their Python objects must outlive the pass, or its thread would be the one to drop them


def _is_started() -> bool:
    """Whether a backward pass was ever run: its threads live as long as the process."""
    try:
        return any((task / "comm").read_text().startswith(_THREAD_NAME) for task in pathlib.Path("/proc/self/task").iterdir())
    except OSError:
        return False  # a thread ended while it was looked at, or no /proc


def _flush(backend: str, owner: int) -> None:
    if os.getpid() != owner or not runtime.is_initialized() or not _is_started():
        return
    for index in range(_C.device_count()):
        try:
            value = torch.empty((), device=f"{backend}:{index}", requires_grad=True)
            gradient = value.detach()
            _kept.extend((value, gradient))
            value.view(()).backward(gradient)
        except Exception:  # noqa: BLE001  the program is over: a device that is full or broken has nothing to wait for
            continue


def start(backend: str) -> None:
    """To be called before the report's own exit function is registered: what is done here belongs to no report."""
    atexit.register(_flush, backend, os.getpid())
