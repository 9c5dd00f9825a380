"""torch.npu.amp / torch.mlu.amp: PyTorch's own autocast and GradScaler with the device filled in."""
from __future__ import annotations

import functools
from typing import Any

import torch

from starbridge_emulated.runtime import _backend


class autocast(torch.amp.autocast_mode.autocast):
    def __init__(self, enabled: bool = True, dtype: torch.dtype = torch.float16, cache_enabled: bool = True) -> None:
        super().__init__(_backend(), enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(torch.amp.GradScaler):
    def __init__(self, init_scale: float = 2.0**16, growth_factor: float = 2.0, backoff_factor: float = 0.5,
                 growth_interval: int = 2000, enabled: bool = True, **_: Any) -> None:
        super().__init__(_backend(), init_scale=init_scale, growth_factor=growth_factor, backoff_factor=backoff_factor,
                         growth_interval=growth_interval, enabled=enabled)


def custom_fwd(fwd: Any = None, *, cast_inputs: Any = None) -> Any:
    return functools.partial(torch.amp.custom_fwd, device_type=_backend())(fwd, cast_inputs=cast_inputs)


def custom_bwd(bwd: Any) -> Any:
    return functools.partial(torch.amp.custom_bwd, device_type=_backend())(bwd)


def get_autocast_dtype() -> torch.dtype:
    return torch.get_autocast_dtype(_backend())


def set_autocast_dtype(dtype: torch.dtype) -> None:
    torch.set_autocast_dtype(_backend(), dtype)


def is_autocast_enabled() -> bool:
    return torch.is_autocast_enabled(_backend())


def set_autocast_enabled(enabled: bool) -> None:
    torch.set_autocast_enabled(_backend(), enabled)


def avoid_float64() -> None:
    """GradScaler inverts its scale in float64; the plug-ins of cards without it do so in float32."""
    from torch.amp.grad_scaler import OptState

    def unscale_(self: Any, optimizer: torch.optim.Optimizer) -> None:
        if not self._enabled:
            return
        self._check_scale_growth_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        found_inf = torch.full((), 0.0, dtype=torch.float32, device=self._scale.device)
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, self._scale.reciprocal(), found_inf, False)
        state["stage"] = OptState.UNSCALED

    torch.amp.GradScaler.unscale_ = unscale_
