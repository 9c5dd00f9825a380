"""Makes torch.cuda answer as in the CPU build of PyTorch that the vendors' plug-ins are installed on."""
from __future__ import annotations

from typing import Any

import torch


def _refuse(*_: Any, **__: Any) -> None:
    raise AssertionError("Torch not compiled with CUDA enabled")


def hide() -> None:
    torch.version.cuda = None
    cuda = torch.cuda
    cuda._lazy_init = _refuse
    cuda.init = _refuse
    cuda.is_available = lambda: False
    cuda.device_count = lambda: 0
    cuda._is_compiled = lambda: False
    cuda._device_count_nvml = lambda: 0
    cuda.is_bf16_supported = lambda including_emulation=True: False
    torch.backends.cuda.is_built = lambda: False
    torch.backends.cudnn.is_available = lambda: False
