"""The plug-in's own functions that ported programs call most, written with PyTorch's operators."""
from __future__ import annotations

import torch

__all__ = ["npu_rms_norm", "npu_swiglu", "npu_rotary_mul", "npu_format_cast", "get_npu_format"]


def npu_rms_norm(x: torch.Tensor, gamma: torch.Tensor, epsilon: float = 1e-6) -> tuple[torch.Tensor, torch.Tensor]:
    dims = tuple(range(x.dim() - gamma.dim(), x.dim()))
    scale = torch.rsqrt(x.float().pow(2).mean(dims, keepdim=True) + epsilon)
    return (x.float() * scale).to(x.dtype) * gamma, scale


def npu_swiglu(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    gate, value = x.chunk(2, dim)
    return torch.nn.functional.silu(gate) * value


def npu_rotary_mul(x: torch.Tensor, r1: torch.Tensor, r2: torch.Tensor, rotary_mode: str = "half") -> torch.Tensor:
    if rotary_mode == "half":
        first, second = x.chunk(2, -1)
        turned = torch.cat((-second, first), -1)
    else:
        turned = torch.stack((-x[..., 1::2], x[..., ::2]), -1).reshape(x.shape)
    return x * r1 + turned * r2


def npu_format_cast(x: torch.Tensor, acl_format: int) -> torch.Tensor:
    """Private memory formats do not exist here; the values are the same."""
    return x


def get_npu_format(x: torch.Tensor) -> int:
    return 2  # ND
