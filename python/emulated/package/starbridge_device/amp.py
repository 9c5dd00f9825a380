"""The module torch.npu.amp or torch.mlu.amp."""

from __future__ import annotations

import functools
import types
from typing import Any


def make(torch: Any, backend: str) -> types.ModuleType:
    module = types.ModuleType(f"torch_{backend}.{backend}.amp", "Mixed precision on the emulated device.")
    module.__path__ = []  # type: ignore[attr-defined]

    class autocast(torch.amp.autocast):  # type: ignore[misc]
        def __init__(self, enabled: bool = True, dtype: Any = torch.float16, cache_enabled: bool = True) -> None:
            super().__init__(backend, enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)

    class GradScaler(torch.amp.GradScaler):  # type: ignore[misc]
        def __init__(self, init_scale: float = 2.0**16, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000,
                     enabled: bool = True, **_: Any) -> None:
            super().__init__(backend, init_scale=init_scale, growth_factor=growth_factor, backoff_factor=backoff_factor,
                             growth_interval=growth_interval, enabled=enabled)

    module.autocast = autocast  # type: ignore[attr-defined]
    module.GradScaler = GradScaler  # type: ignore[attr-defined]
    module.custom_fwd = functools.partial(torch.amp.custom_fwd, device_type=backend)  # type: ignore[attr-defined]
    module.custom_bwd = functools.partial(torch.amp.custom_bwd, device_type=backend)  # type: ignore[attr-defined]
    return module


def patch_unscale(torch: Any) -> None:
    """Lets GradScaler invert its scale in float32, as the plug-ins of chips without float64 do."""
    from torch.amp.grad_scaler import OptState

    original = torch.amp.GradScaler.unscale_

    def unscale_(self: Any, optimizer: Any) -> None:
        scale = getattr(self, "_scale", None)
        if not self._enabled or scale is None or scale.device.type == "cpu":
            return original(self, optimizer)
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is not OptState.READY:
            return original(self, optimizer)  # raises the right error
        found_inf = torch.full((), 0.0, dtype=torch.float32, device=scale.device)
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, scale.reciprocal(), found_inf, False)
        state["stage"] = OptState.UNSCALED

    torch.amp.GradScaler.unscale_ = unscale_
