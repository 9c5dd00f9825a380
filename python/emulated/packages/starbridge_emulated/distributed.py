"""hccl / cncl: the vendor's communication backend, played by Gloo. nccl is absent, as on such a machine."""
from __future__ import annotations

import datetime
from typing import Any


import torch.distributed as dist

from starbridge_emulated import _C

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
    setattr(dist, f"is_{dist_backend}_available", lambda: True)
    setattr(c10d, f"is_{dist_backend}_available", lambda: True)
