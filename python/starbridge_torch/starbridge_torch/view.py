"""Who is asking: a program written for CUDA gets the answers CUDA would give; PyTorch, the vendor's plug-in and packages that know
the chip by themselves get the truth. Decided per module and by nothing else, so that threads cannot disturb each other.
"""
from __future__ import annotations

import sys
from types import FrameType

# PyTorch itself and the plug-ins.
INTERNAL = frozenset({"torch", "torch_npu", "torch_mlu", "torch_musa", "starbridge_emulated", "starbridge_torch", "starbridge_torch_start"})
# Packages that look for npu or mlu by themselves; told about CUDA too they would take the wrong one.
NATIVE = frozenset({"accelerate", "deepspeed", "transformers", "peft", "diffusers", "mmcv", "mmengine", "torchtune", "lightning_fabric"})

_excluded: set[str] = set(NATIVE)
_answers: dict[str, bool] = {}


def exclude(*modules: str) -> None:
    """Leaves modules and everything below them alone: "package" or "package.module"."""
    for module in modules:
        if not module or any(not part.isidentifier() for part in module.split(".")):
            raise ValueError(f"not the name of a module: {module!r}")
        _excluded.add(module)
    _answers.clear()


def include(*modules: str) -> None:
    """Takes modules back in that were excluded, those of the list of native packages too."""
    for module in modules:
        _excluded.discard(module)
    _answers.clear()


def excluded() -> list[str]:
    return sorted(_excluded)


def is_internal(module: str) -> bool:
    return module.partition(".")[0] in INTERNAL


def is_excluded(module: str) -> bool:
    while module:
        if module in _excluded:
            return True
        module = module.rpartition(".")[0]
    return False


def sees_cuda(frame: FrameType) -> bool:
    """Whether the code of this frame is to be answered as on CUDA."""
    names = frame.f_globals
    module = names.get("__name__") or ""
    answer = _answers.get(module)
    if answer is None:
        answer = _answers[module] = not (is_internal(module) or is_excluded(module))
    return answer and names.get("__starbridge_torch__", True) is not False


def caller_of(frame: FrameType | None) -> FrameType | None:
    """The nearest frame that is not PyTorch's or a plug-in's own."""
    while frame is not None and is_internal(frame.f_globals.get("__name__") or ""):
        frame = frame.f_back
    return frame


def caller() -> FrameType | None:
    return caller_of(sys._getframe(1))


def is_opted_out(frame: FrameType | None) -> bool:
    if frame is None:
        return False
    return is_excluded(frame.f_globals.get("__name__") or "") or frame.f_globals.get("__starbridge_torch__", True) is False
