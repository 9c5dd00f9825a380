"""torch.cuda.FloatTensor and its kin: makers of tensors on the device at hand that also answer isinstance().

Each keeps its dtype: a DoubleTensor is float64, or an error where the chip has none, and never a float32 in disguise.
"""
from __future__ import annotations

from typing import Any

import torch

from starbridge_torch import devices

DTYPES = {"HalfTensor": torch.float16, "BFloat16Tensor": torch.bfloat16, "FloatTensor": torch.float32, "DoubleTensor": torch.float64,
          "CharTensor": torch.int8, "ByteTensor": torch.uint8, "ShortTensor": torch.int16, "IntTensor": torch.int32,
          "LongTensor": torch.int64, "BoolTensor": torch.bool}


class _TensorType(type):
    dtype: torch.dtype

    def __call__(cls, *values: Any, **keywords: Any) -> torch.Tensor:
        device = devices.of(keywords.pop("device", None), "torch.cuda." + cls.__name__) or devices.backend
        if keywords:
            raise TypeError(f"torch.cuda.{cls.__name__}() takes no {', '.join(keywords)}")
        if len(values) == 1 and not isinstance(values[0], int):
            value = values[0]
            if isinstance(value, torch.Size):
                made = torch.empty(value, dtype=cls.dtype, device=device)
            elif isinstance(value, torch.Tensor):
                made = value.to(device=device, dtype=cls.dtype)
            else:
                made = torch.tensor(value, dtype=cls.dtype, device=device)
        else:
            made = torch.empty(*(values or (0,)), dtype=cls.dtype, device=device)
        if made.dtype != cls.dtype:
            raise TypeError(f"torch.cuda.{cls.__name__} is {cls.dtype}, and {devices.backend} made {made.dtype} of it")
        return made

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value.dtype == cls.dtype and devices.real_type(value.device) == devices.backend


TYPES = {name: _TensorType(name, (), {"dtype": dtype, "__module__": "torch.cuda"}) for name, dtype in DTYPES.items()}


def find(kind: Any) -> Any:
    """The type behind torch.cuda.FloatTensor, itself or as text; None for anything else."""
    if isinstance(kind, _TensorType):
        return kind
    if isinstance(kind, str) and kind.startswith("torch.cuda."):
        return TYPES.get(kind[len("torch.cuda."):])
    return None
