"""What a program reads out of tensors, noted call by call: numbers to compare where a run prints no loss and saves no checkpoint.

A test compares tensors and says only "passed"; both sides of a verification could pass it with different numbers. So every place where
the project's own code takes numbers out of a tensor (item, tolist, numpy, cpu, float(), torch.allclose, the loss of backward, ...) is a series, named by file
and function, for lines move when a project is ported. What PyTorch and packages read inside is theirs and is not noted.
"""

from __future__ import annotations

import functools
import json
import math
import os
import sys
from typing import Any, Callable

from starbridge_hooks import after_import

OWNER_VARIABLE = "STARBRIDGE_PROBE_OWNER"  # the first process
READS_MAX = 20_000
METHODS = ("item", "tolist", "numpy", "cpu", "__float__", "__int__", "__bool__", "__array__", "__format__", "backward")
FUNCTIONS = ("allclose", "equal")
BUILDERS = ("tensor", "as_tensor", "asarray")
ASSERTIONS = ("assert_close", "assert_allclose")


def line_of(name: str, step: int, value: float) -> str:
    """A line of a record. What is not finite is text, for JSON has no word for it."""
    return json.dumps({"name": name, "step": step, "value": value if math.isfinite(value) else str(value)}) + "\n"


class _Reader:
    def __init__(self, torch: Any, folder: str, project: str, is_owner: bool) -> None:
        self.torch, self.folder, self.project, self.is_owner = torch, folder, project, is_owner
        self.counts: dict[str, int] = {}
        self.total = 0
        self.is_busy = False
        self.names: dict[Any, str | None] = {}
        # Taken before anything is replaced: what follows reads through these.
        self.to_cpu, self.to_list = torch.Tensor.cpu, torch.Tensor.tolist
        os.register_at_fork(after_in_child=self.begin_child)

    def begin_child(self) -> None:
        """A forked child counts by its own rank or not at all, whatever its parent was."""
        self.is_owner, self.counts, self.total = False, {}, 0

    def process_name(self) -> str | None:
        """Which of the processes this is; nothing for those that count for nobody: workers of loaders take turns as they please."""
        distributed = self.torch.distributed
        is_forked = self.torch.utils.data.get_worker_info() is not None
        if not is_forked and distributed.is_available() and distributed.is_initialized():
            return f" (rank {distributed.get_rank()})"
        if self.is_owner:
            return ""
        return f" (rank {os.environ['RANK']})" if "RANK" in os.environ and not is_forked else None

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
            process = self.process_name()
            if process is None or isinstance(tensor, self.torch._subclasses.FakeTensor):
                return
            with self.torch.no_grad(), self.torch.utils._python_dispatch._disable_current_modes():
                numbers = self.numbers(tensor)
            # pytest says which test runs: one that fails then moves no numbers of another.
            test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
            key = f"{name} {what}{' in ' + test if test else ''}{process}"
            lines = ""
            for number in numbers:
                step = self.counts[key] = self.counts.get(key, -1) + 1
                lines += line_of(key, step, number)
            self.total += len(numbers)
            with open(os.path.join(self.folder, f"reads.{os.getpid()}.jsonl"), "a", encoding="utf-8") as file:
                file.write(lines)
        except Exception:  # noqa: BLE001  (meta tensors, functorch's wrappers: not numbers; the program must not notice)
            pass
        finally:
            self.is_busy = False

    def wrap(self, function: Callable[..., Any], what: str) -> Callable[..., Any]:
        is_compiling, tensor_type = self.torch.compiler.is_compiling, self.torch.Tensor

        @functools.wraps(function)
        def reading(*arguments: Any, **keywords: Any) -> Any:
            if not is_compiling():  # what is traced by a compiler has no numbers yet
                subject = arguments[0] if arguments else next(iter(keywords.values()), None)
                name = self.name_of(sys._getframe(1).f_code) if isinstance(subject, tensor_type) else None
                if name is not None:
                    self.note(name, what, subject)
            return function(*arguments, **keywords)

        return reading

    def quiet(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Not what this reads by itself: a list with tensors in it is read in C++ on the CPU and through Python on a device."""
        is_compiling = self.torch.compiler.is_compiling

        @functools.wraps(function)
        def silent(*arguments: Any, **keywords: Any) -> Any:
            if self.is_busy or is_compiling():
                return function(*arguments, **keywords)
            self.is_busy = True
            try:
                return function(*arguments, **keywords)
            finally:
                self.is_busy = False

        return silent

    def replace(self, owner: Any, name: str, what: str) -> None:
        original = getattr(owner, name, None)
        if original is None:
            return
        wrapped = self.quiet(original) if what == "" else self.wrap(original, what)
        # TorchScript knows operators by the function object; one it does not know it would compile from its source.
        builtins = self.torch.jit._builtins
        operator = builtins._find_builtin(original)
        if operator is not None:
            builtins._register_builtin(wrapped, operator)
        setattr(owner, name, wrapped)

    def map(self) -> None:
        torch = self.torch
        for name in METHODS:
            self.replace(torch.Tensor, name, name.strip("_"))
        for name in FUNCTIONS:
            self.replace(torch, name, name)
            self.replace(torch.Tensor, name, name)
        for name in ASSERTIONS:
            self.replace(torch.testing, name, name)
        for name in BUILDERS:
            self.replace(torch, name, "")


def install(folder: str, project: str) -> None:
    owner = os.environ.setdefault(OWNER_VARIABLE, str(os.getpid()))
    after_import("torch", lambda torch: _Reader(torch, folder, project, owner == str(os.getpid())).map())
