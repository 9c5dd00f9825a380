"""hccl / cncl: the vendor's communication backend, played by Gloo. nccl is absent, as on such a machine."""
from __future__ import annotations

import datetime
from typing import Any

import torch.distributed as dist

from starbridge_emulated import _C
from starbridge_hooks import after_import

# Documented for HCCL's all_reduce; MLU's list is not public.
ALL_REDUCE_DTYPES = ("bfloat16", "float16", "float32", "int32", "int64", "bool")


def register(backend: str, dist_backend: str) -> None:
    if not dist.is_available():
        return
    from torch.distributed import distributed_c10d as c10d

    def create(store: Any, rank: int, size: int, timeout: datetime.timedelta) -> Any:
        return _C.make_collective(dist.ProcessGroupGloo(store, rank, size, timeout), dist_backend)

    dist.Backend.register_backend(dist_backend, create, devices=[backend])
    dist.Backend.default_device_backend_map[backend] = dist_backend
    c10d._NCCL_AVAILABLE = False
    dist.is_nccl_available = lambda: False
    c10d.is_nccl_available = lambda: False
    after_import("torch.distributed.tensor._random", lambda random: _draw_locally(random, backend))
    setattr(dist, f"is_{dist_backend}_available", lambda: True)
    setattr(c10d, f"is_{dist_backend}_available", lambda: True)


def _draw_locally(random: Any, backend: str) -> None:
    """A card counts a seed and an offset, and DTensor moves the offset. Streams here are the CPU's, which have none; so ranks draw as
    they do on CPUs, and follow a CPU run."""
    is_supported = random.is_rng_supported_mesh

    def is_rng_supported_mesh(device_mesh: Any) -> bool:
        return device_mesh.device_type != backend and is_supported(device_mesh)

    random.is_rng_supported_mesh = is_rng_supported_mesh
