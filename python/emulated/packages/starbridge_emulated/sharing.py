"""Device tensors between processes: torch.multiprocessing passes them by memory that both map, as the vendors' plug-ins do."""
from __future__ import annotations

import multiprocessing.reduction
import os
from typing import Any

import torch
from torch.multiprocessing import reductions

from starbridge_emulated import _C


def _rebuild(duplicate: Any, size: int, device: int) -> torch.UntypedStorage:
    file = duplicate.detach()
    try:
        status = os.fstat(file)
        # Two tensors on one storage stay on one storage.
        key = ("starbridge_emulated", status.st_dev, status.st_ino)
        storage = reductions.storage_from_cache(torch.UntypedStorage, key)
        if storage is None:
            storage = _C.map_shared_memory(file, size, device).untyped_storage()
            reductions.shared_cache[key] = reductions.StorageWeakRef(storage)
        return storage
    finally:
        os.close(file)


def _rebuild_empty(device: int) -> torch.UntypedStorage:
    return torch.UntypedStorage(0, device=torch.device(torch._C._get_privateuse1_backend_name(), device))


def _reduce(storage: Any) -> Any:
    if storage.device.type != torch._C._get_privateuse1_backend_name():
        return reductions.reduce_storage(storage)
    if storage.nbytes() == 0:
        return _rebuild_empty, (storage.device.index,)
    whole = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
    file, size, device = _C.share_memory(whole)
    status = os.fstat(file)
    reductions.shared_cache[("starbridge_emulated", status.st_dev, status.st_ino)] = reductions.StorageWeakRef(storage)
    return _rebuild, (multiprocessing.reduction.DupFd(file), size, device)


def register() -> None:
    multiprocessing.reduction.register(torch.UntypedStorage, _reduce)
