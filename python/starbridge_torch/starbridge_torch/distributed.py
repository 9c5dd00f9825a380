"""torch.distributed: "nccl" becomes the vendor's collective, and get_backend() says nccl to programs that asked for it."""
from __future__ import annotations

import sys
from typing import Any, Callable

import torch.distributed as dist

from starbridge_torch import devices, telemetry, view
from starbridge_torch.torch_api import replace, type_argument


def _backend_argument(label: str, position: int) -> Callable[[Any], Any]:
    def make(original: Any) -> Any:
        def mapped(*arguments: Any, **keywords: Any) -> Any:
            if len(arguments) > position:
                arguments = (*arguments[:position], devices.collective_of(arguments[position], label), *arguments[position + 1:])
            elif "backend" in keywords:
                keywords["backend"] = devices.collective_of(keywords["backend"], label)
            return original(*arguments, **keywords)
        return mapped
    return make


def _make_get_backend(original: Any) -> Any:
    def get_backend(*arguments: Any, **keywords: Any) -> Any:
        answer = original(*arguments, **keywords)
        frame = sys._getframe(1)
        if answer == devices.collective and view.sees_cuda(frame):
            telemetry.record(frame, "torch.distributed.get_backend")
            return type(answer)("nccl") if type(answer) is not str else "nccl"
        return answer
    return get_backend


def _make_is_nccl_available(original: Any) -> Any:
    def is_nccl_available() -> bool:
        frame = sys._getframe(1)
        if not view.sees_cuda(frame):
            return bool(original())
        telemetry.record(frame, "torch.distributed.is_nccl_available")
        answer = getattr(dist, f"is_{devices.collective}_available", None)
        return bool(answer()) if answer is not None else dist.is_backend_available(devices.collective)
    return is_nccl_available


def patch() -> None:
    if not dist.is_available():
        return
    from torch.distributed import device_mesh, distributed_c10d

    makers = {"init_process_group": _backend_argument("torch.distributed.init_process_group", 0),
              "new_group": _backend_argument("torch.distributed.new_group", 2),
              "is_backend_available": _backend_argument("torch.distributed.is_backend_available", 0),
              "get_backend": _make_get_backend,
              "is_nccl_available": _make_is_nccl_available}
    for name, make in makers.items():
        plain = getattr(distributed_c10d, name, None)
        replace(distributed_c10d, name, make)
        # The same object under both names, so that identity holds.
        if plain is not None:
            setattr(dist, name, getattr(distributed_c10d, name))
    init_mesh = type_argument("torch.distributed.init_device_mesh", 0)
    replace(device_mesh, "init_device_mesh", init_mesh)
    if hasattr(device_mesh, "init_device_mesh"):
        dist.init_device_mesh = device_mesh.init_device_mesh
    replace(device_mesh.DeviceMesh, "__init__", type_argument("torch.distributed.DeviceMesh", 1))
