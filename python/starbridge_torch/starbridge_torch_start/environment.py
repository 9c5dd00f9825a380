"""Environment variables of CUDA and NCCL that have a counterpart of the same meaning: kept in step while the program runs.

The table holds what data/compat/env.tsv calls renamed, and the lists of visible cards; a test holds every entry to it.
"""
from __future__ import annotations

import os
from typing import Any

VISIBLE = "CUDA_VISIBLE_DEVICES"
COUNTERPARTS: dict[str, dict[str, str]] = {
    "npu": {
        "CUDA_LAUNCH_BLOCKING": "ASCEND_LAUNCH_BLOCKING",
        "CUDA_VISIBLE_DEVICES": "ASCEND_RT_VISIBLE_DEVICES",
        "NCCL_ASYNC_ERROR_HANDLING": "TORCH_HCCL_ASYNC_ERROR_HANDLING",
        "NCCL_BLOCKING_WAIT": "TORCH_HCCL_BLOCKING_WAIT",
        "NCCL_IB_RETRY_CNT": "HCCL_RDMA_RETRY_CNT",
        "NCCL_IB_SL": "HCCL_RDMA_SL",
        "NCCL_IB_TC": "HCCL_RDMA_TC",
        "NCCL_IB_TIMEOUT": "HCCL_RDMA_TIMEOUT",
        "NCCL_SOCKET_FAMILY": "HCCL_SOCKET_FAMILY",
        "NCCL_SOCKET_IFNAME": "HCCL_SOCKET_IFNAME",
        "PYTORCH_CUDA_ALLOC_CONF": "PYTORCH_NPU_ALLOC_CONF",
        "PYTORCH_NO_CUDA_MEMORY_CACHING": "PYTORCH_NO_NPU_MEMORY_CACHING",
        "TORCH_NCCL_ASYNC_ERROR_HANDLING": "TORCH_HCCL_ASYNC_ERROR_HANDLING",
        "TORCH_NCCL_BLOCKING_WAIT": "TORCH_HCCL_BLOCKING_WAIT",
        "TORCH_NCCL_COORD_CHECK_MILSEC": "TORCH_HCCL_COORD_CHECK_MILSEC",
        "TORCH_NCCL_DEBUG_INFO_PIPE_FILE": "TORCH_HCCL_DEBUG_INFO_PIPE_FILE",
        "TORCH_NCCL_DEBUG_INFO_TEMP_FILE": "TORCH_HCCL_DEBUG_INFO_TEMP_FILE",
        "TORCH_NCCL_DESYNC_DEBUG": "TORCH_HCCL_DESYNC_DEBUG",
        "TORCH_NCCL_DUMP_ON_TIMEOUT": "TORCH_HCCL_DUMP_ON_TIMEOUT",
        "TORCH_NCCL_ENABLE_MONITORING": "TORCH_HCCL_ENABLE_MONITORING",
        "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC": "TORCH_HCCL_HEARTBEAT_TIMEOUT_SEC",
        "TORCH_NCCL_HIGH_PRIORITY": "TORCH_HCCL_HIGH_PRIORITY",
        "TORCH_NCCL_TRACE_BUFFER_SIZE": "TORCH_HCCL_TRACE_BUFFER_SIZE",
        "TORCH_NCCL_TRACE_CPP_STACK": "TORCH_HCCL_TRACE_CPP_STACK",
        "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC": "TORCH_HCCL_WAIT_TIMEOUT_DUMP_MILSEC",
    },
    "mlu": {
        "CUDA_VISIBLE_DEVICES": "MLU_VISIBLE_DEVICES",
        "NCCL_ASYNC_ERROR_HANDLING": "CNCL_ASYNC_ERROR_HANDLING",
        "NCCL_BLOCKING_WAIT": "CNCL_BLOCKING_WAIT",
        "PYTORCH_CUDA_ALLOC_CONF": "PYTORCH_MLU_ALLOC_CONF",
        "PYTORCH_NO_CUDA_MEMORY_CACHING": "PYTORCH_NO_MLU_MEMORY_CACHING",
        "PYTORCH_NVML_BASED_CUDA_CHECK": "PYTORCH_CNDEV_BASED_MLU_CHECK",
        "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "TORCH_ALLOW_TF32_CNMATMUL_OVERRIDE",
        "TORCH_NCCL_ASYNC_ERROR_HANDLING": "CNCL_ASYNC_ERROR_HANDLING",
        "TORCH_NCCL_AVOID_RECORD_STREAMS": "TORCH_CNCL_AVOID_RECORD_STREAMS",
        "TORCH_NCCL_BLOCKING_WAIT": "CNCL_BLOCKING_WAIT",
        "TORCH_NCCL_COORD_CHECK_MILSEC": "TORCH_CNCL_COORD_CHECK_MILSEC",
        "TORCH_NCCL_DEBUG_INFO_PIPE_FILE": "TORCH_CNCL_DEBUG_INFO_PIPE_FILE",
        "TORCH_NCCL_DEBUG_INFO_TEMP_FILE": "TORCH_CNCL_DEBUG_INFO_TEMP_FILE",
        "TORCH_NCCL_DESYNC_DEBUG": "CNCL_DESYNC_DEBUG",
        "TORCH_NCCL_DUMP_ON_TIMEOUT": "TORCH_CNCL_DUMP_ON_TIMEOUT",
        "TORCH_NCCL_ENABLE_MONITORING": "TORCH_CNCL_ENABLE_MONITORING",
        "TORCH_NCCL_ENABLE_TIMING": "TORCH_CNCL_ENABLE_TIMING",
        "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC": "TORCH_CNCL_HEARTBEAT_TIMEOUT_SEC",
        "TORCH_NCCL_TRACE_BUFFER_SIZE": "TORCH_CNCL_TRACE_BUFFER_SIZE",
        "TORCH_NCCL_TRACE_CPP_STACK": "TORCH_CNCL_TRACE_CPP_STACK",
        "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC": "TORCH_CNCL_WAIT_TIMEOUT_DUMP_MILSEC",
    },
}


def counterpart(backend: str, name: str) -> str | None:
    return COUNTERPARTS.get(backend, {}).get(name)


def check_visible(backend: str, value: str) -> None:
    """Refuses lists of cards that the other runtime would misread in silence."""
    entries = [entry.strip() for entry in value.split(",") if entry.strip()]
    other = counterpart(backend, VISIBLE)
    if any(not entry.lstrip("-").isdigit() for entry in entries):
        raise ValueError(f"{VISIBLE}={value}: {other} takes numbers of cards, no names")
    numbers = [int(entry) for entry in entries]
    if backend == "npu" and numbers != sorted(set(numbers)):
        raise ValueError(f"{VISIBLE}={value}: {other} takes each card once and in ascending order; write "
                         + ",".join(str(number) for number in sorted(set(numbers))))


def _mirror(backend: str, name: str, value: str) -> tuple[str, str] | None:
    other = counterpart(backend, name)
    if other is None:
        return None
    if name == VISIBLE:
        check_visible(backend, value)
    return other, value


def follow(backend: str) -> None:
    """Sets the counterparts of what is set now, and of everything the program sets through os.environ from now on.

    A counterpart the user has set by hand wins.
    """
    environ = os.environ
    if type(environ).__name__ == "FollowedEnvironment":
        return
    for name in list(COUNTERPARTS.get(backend, {})):
        if name in environ:
            pair = _mirror(backend, name, environ[name])
            if pair is not None:
                environ.setdefault(*pair)
    base: Any = type(environ)

    class FollowedEnvironment(base):  # type: ignore[misc]
        def __setitem__(self, name: str, value: str) -> None:
            pair = _mirror(backend, name, value) if isinstance(value, str) else None
            super().__setitem__(name, value)
            if pair is not None:
                super().__setitem__(*pair)

        def __delitem__(self, name: str) -> None:
            super().__delitem__(name)
            other = counterpart(backend, name)
            if other is not None and other in self:
                super().__delitem__(other)

    environ.__class__ = FollowedEnvironment
