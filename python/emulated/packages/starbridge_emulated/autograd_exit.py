"""Lets the threads of autograd come to rest before the interpreter ends.

PyTorch runs the backward pass of a device on a thread of its own. The caller goes on as soon as the gradients are there, while that
thread still drops the graph, and with it hooks that are Python objects. A process that ends in that moment takes the interpreter from
under it and aborts. At exit we wait until these threads sleep: on their queue, for the lock of the interpreter is free meanwhile.
"""
from __future__ import annotations

import atexit
import os
import pathlib
import time

_THREAD_NAME = "(pt_autograd_"
_QUIET_LOOKS = 5  # a thread may sleep for a moment on its way
_SECONDS_BETWEEN = 0.001
_SECONDS_MAX = 2.0


def _is_any_running() -> bool:
    for task in pathlib.Path("/proc/self/task").iterdir():
        name, _, rest = (task / "stat").read_text().rpartition(")")
        if _THREAD_NAME in name and rest.split()[0] != "S":
            return True
    return False


def _wait(owner: int) -> None:
    if os.getpid() != owner:
        return  # a forked child has no such threads
    end = time.monotonic() + _SECONDS_MAX
    quiet = 0
    while quiet < _QUIET_LOOKS and time.monotonic() < end:
        time.sleep(_SECONDS_BETWEEN)
        try:
            quiet = 0 if _is_any_running() else quiet + 1
        except OSError:
            quiet = 0  # a thread ended while it was looked at


def start() -> None:
    atexit.register(_wait, os.getpid())
