"""What a program reads out of tensors, noted call by call: numbers to compare where a run prints no loss and saves no checkpoint.

A test compares tensors and says only "passed"; both sides of a verification could pass it with different numbers. So every place where
the project's own code takes numbers out of a tensor (item, tolist, numpy, cpu, float(), torch.allclose, ...) is a series, named by file
and function, for lines move when a project is ported. What PyTorch and packages read inside is theirs and is not noted.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import json
import math
import os
import sys
from typing import Any, Callable

OWNER_VARIABLE = "STARBRIDGE_PROBE_OWNER"  # the first process; others count only when torchrun or a launcher gave them a rank
READS_MAX = 20_000
METHODS = ("item", "tolist", "numpy", "cpu", "__float__", "__int__", "__bool__", "__array__", "__format__")
FUNCTIONS = ("allclose", "equal")
ASSERTIONS = ("assert_close", "assert_allclose")


def line_of(name: str, step: int, value: float) -> str:
    """A line of a record. What is not finite is text, for JSON has no word for it."""
    return json.dumps({"name": name, "step": step, "value": value if math.isfinite(value) else str(value)}) + "\n"


class _Reader:
    def __init__(self, torch: Any, folder: str, project: str) -> None:
        self.torch, self.project = torch, project
        self.path = os.path.join(folder, f"reads.{os.getpid()}.jsonl")
        self.rank = os.environ.get("RANK", "")
        self.counts: dict[str, int] = {}
        self.total = 0
        self.is_busy = False
        self.names: dict[Any, str | None] = {}
        # Taken before anything is replaced: what follows reads through these.
        self.to_cpu, self.to_list = torch.Tensor.cpu, torch.Tensor.tolist

    def name_of(self, code: Any) -> str | None:
        if code not in self.names:
            path = os.path.realpath(code.co_filename)
            inside = path.startswith(self.project) and "site-packages" not in path
            self.names[code] = f"{path[len(self.project):]}:{code.co_qualname if hasattr(code, 'co_qualname') else code.co_name}" if inside else None
        return self.names[code]

    def numbers(self, tensor: Any) -> list[float]:
        """One number of a scalar; of more, how large they are and where: reordered values must not pass."""
        torch = self.torch
        values = self.to_cpu(tensor.detach())
        if values.layout != torch.strided or values.is_quantized:
            return []
        if values.is_complex():
            values = torch.view_as_real(values.resolve_conj())
        values = values.reshape(-1).to(torch.float64)
        if values.numel() <= 1:
            return self.to_list(values)
        places = torch.cos(torch.arange(values.numel(), dtype=torch.float64))
        return self.to_list(torch.stack((values.abs().mean(), (values * places).mean())))

    def note(self, name: str, what: str, tensor: Any) -> None:
        if self.is_busy or self.total >= READS_MAX:
            return
        self.is_busy = True
        try:
            if isinstance(tensor, self.torch._subclasses.FakeTensor):
                return
            with self.torch.no_grad(), self.torch.utils._python_dispatch._disable_current_modes():
                numbers = self.numbers(tensor)
            key = f"{name} {what}" + (f" (rank {self.rank})" if self.rank else "")
            lines = ""
            for number in numbers:
                step = self.counts[key] = self.counts.get(key, -1) + 1
                lines += line_of(key, step, number)
            self.total += len(numbers)
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(lines)
        except Exception:  # noqa: BLE001  (meta tensors, functorch's wrappers: not numbers; the program must not notice)
            pass
        finally:
            self.is_busy = False

    def wrap(self, function: Callable[..., Any], what: str) -> Callable[..., Any]:
        @functools.wraps(function)
        def reading(*arguments: Any, **keywords: Any) -> Any:
            name = self.name_of(sys._getframe(1).f_code)
            if name is not None and arguments and isinstance(arguments[0], self.torch.Tensor):
                self.note(name, what, arguments[0])
            return function(*arguments, **keywords)

        return reading

    def map(self) -> None:
        torch = self.torch
        for name in METHODS:
            setattr(torch.Tensor, name, self.wrap(getattr(torch.Tensor, name), name.strip("_")))
        for name in FUNCTIONS:
            setattr(torch, name, self.wrap(getattr(torch, name), name))
            setattr(torch.Tensor, name, self.wrap(getattr(torch.Tensor, name), name))
        for name in ASSERTIONS:
            if hasattr(torch.testing, name):
                setattr(torch.testing, name, self.wrap(getattr(torch.testing, name), name))


class _TorchFinder(importlib.abc.MetaPathFinder):
    """Finds torch like everybody else. Its plug-ins load inside its import, so what is wrapped here is what a program will call."""

    def __init__(self, folder: str, project: str) -> None:
        self.folder, self.project = folder, project

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = None
        for finder in sys.meta_path:  # the reference run has a finder of its own
            spec = finder.find_spec(name, path, target) if hasattr(finder, "find_spec") else None
            if spec is not None:
                break
        if spec is None or spec.loader is None:
            return spec
        original = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            original(module)
            _Reader(module, self.folder, self.project).map()

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def install(folder: str, project: str) -> None:
    owner = os.environ.setdefault(OWNER_VARIABLE, str(os.getpid()))
    if owner != str(os.getpid()) and "RANK" not in os.environ:
        return  # loaders' workers take turns as they please; their reads have no order
    sys.meta_path.insert(0, _TorchFinder(folder, project))
