"""torch.npu / torch.mlu: memory of a card, counted against the profile's capacity."""
from __future__ import annotations

import collections
import ctypes
from typing import Any

from starbridge_emulated import _C
from starbridge_emulated.runtime import _check, _index


def _counts(device: Any) -> dict[str, int]:
    return _C.memory(_check(_index(device)))


def empty_cache() -> None:
    for index in range(_C.device_count()):
        _C.release_cached(index)


def memory_allocated(device: Any = None) -> int:
    return _counts(device)["allocated_bytes"]


def max_memory_allocated(device: Any = None) -> int:
    return _counts(device)["allocated_bytes_max"]


def memory_reserved(device: Any = None) -> int:
    return _counts(device)["reserved_bytes"]


def max_memory_reserved(device: Any = None) -> int:
    return _counts(device)["reserved_bytes_max"]


memory_cached = memory_reserved
max_memory_cached = max_memory_reserved


def reset_peak_memory_stats(device: Any = None) -> None:
    _C.reset_peak(_check(_index(device)))


reset_max_memory_allocated = reset_peak_memory_stats
reset_max_memory_cached = reset_peak_memory_stats


def reset_accumulated_memory_stats(device: Any = None) -> None:
    _C.reset_accumulated(_check(_index(device)))


def mem_get_info(device: Any = None) -> tuple[int, int]:
    counts = _counts(device)
    return counts["capacity_bytes"] - counts["reserved_bytes"], counts["capacity_bytes"]


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    _C.set_memory_fraction(_check(_index(device)), float(fraction))


def memory_stats(device: Any = None) -> dict[str, int]:
    counts = _counts(device)
    live = counts["allocations"] - counts["frees"]
    rows = {
        "allocation": (live, live, counts["allocations"], counts["frees"]),
        "active": (live, live, counts["allocations"], counts["frees"]),
        "allocated_bytes": (counts["allocated_bytes"], counts["allocated_bytes_max"], counts["allocated_bytes_total"],
                            counts["allocated_bytes_total"] - counts["allocated_bytes"]),
        "reserved_bytes": (counts["reserved_bytes"], counts["reserved_bytes_max"], counts["reserved_bytes_max"],
                           counts["reserved_bytes_max"] - counts["reserved_bytes"]),
    }
    rows["active_bytes"] = rows["allocated_bytes"]
    rows["requested_bytes"] = rows["allocated_bytes"]
    stats: dict[str, int] = collections.OrderedDict()
    for name in sorted(rows):
        for key, value in zip(("current", "peak", "allocated", "freed"), rows[name], strict=True):
            stats[f"{name}.all.{key}"] = value
    stats["num_alloc_retries"] = 0
    stats["num_ooms"] = counts["out_of_memory"]
    return stats


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    rows = memory_stats(device)
    lines = [f"emulated device {_index(device)}, capacity {_counts(device)['capacity_bytes']} bytes"]
    return "\n".join(lines + [f"{name:<40}{value:>20}" for name, value in rows.items()])


def memory_snapshot() -> list[dict[str, Any]]:
    return []


class _PluggableAllocator:
    """A library's own functions for memory, under the vendor's name. They can be named; the emulated device does not use them."""

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str) -> None:
        library = ctypes.CDLL(path_to_so_file)
        self.functions = (getattr(library, alloc_fn_name), getattr(library, free_fn_name))


def _change_current_allocator(allocator: Any) -> None:
    raise RuntimeError("the emulated device keeps its own allocator: memory is counted in it")
