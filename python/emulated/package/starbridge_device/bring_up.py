"""Registers the device with torch: its name, its module, its methods, its collectives, its report."""

from __future__ import annotations

import atexit
import importlib
import json
import os
import sys
import types
from typing import Any

from starbridge_device.profile import Profile

_first_pid = os.getpid()


def bring_up(torch: Any, profile: Profile) -> None:
    native = importlib.import_module("_starbridge_device")
    known = {name: getattr(torch, name) for name in profile.dtypes_unsupported if isinstance(getattr(torch, name, None), torch.dtype)}
    visible = profile.visible_devices()
    native.configure(profile.chip_name, profile.backend, len(visible), profile.memory_bytes, list(known.values()), profile.rules, profile.refuses_fallback)

    torch.utils.rename_privateuse1_backend(profile.backend)
    from starbridge_device import amp, device_module

    module = device_module.make(torch, native, profile, visible)
    module.amp = amp.make(torch, profile.backend)
    if torch.float64 in known.values():
        amp.patch_unscale(torch)
    package = f"torch_{profile.backend}"
    plugin = sys.modules.get(package) or types.ModuleType(package)
    plugin.__path__ = []  # type: ignore[attr-defined]
    plugin.__version__ = f"{torch.__version__.split('+')[0]}.emulated"  # type: ignore[attr-defined]
    setattr(plugin, profile.backend, module)
    names = {package: plugin, f"{package}.{profile.backend}": module, f"torch.{profile.backend}": module,
             f"torch.{profile.backend}.amp": module.amp, f"{package}.{profile.backend}.amp": module.amp}
    for autocast_name in ("autocast_mode", "grad_scaler"):
        names[f"torch.{profile.backend}.amp.{autocast_name}"] = module.amp
    sys.modules.update(names)
    torch._register_device_module(profile.backend, module)
    torch.utils.generate_methods_for_privateuse1_backend(for_tensor=True, for_module=True, for_packed_sequence=True, for_storage=False)
    _register_collective(torch, native, profile)
    _report_at_exit(native, profile)


def _register_collective(torch: Any, native: Any, profile: Profile) -> None:
    import torch.distributed as dist

    if not dist.is_available():
        return

    def create(store: Any, rank: int, size: int, timeout: Any) -> Any:
        gloo = dist.ProcessGroupGloo(dist.PrefixStore("starbridge", store), rank, size, timeout)
        return native.Collective(gloo, profile.dist_backend)

    dist.Backend.register_backend(profile.dist_backend, create, devices=[profile.backend, "cpu"])
    dist.Backend.default_device_backend_map[profile.backend] = profile.dist_backend


def _report_at_exit(native: Any, profile: Profile) -> None:
    path = os.environ.get("STARBRIDGE_DEVICE_REPORT")
    if not path:
        return

    def write() -> None:
        # Processes that the first one started (workers of DDP, of a data loader) leave reports of their own.
        own = path if os.getpid() == _first_pid and "LOCAL_RANK" not in os.environ else f"{path}.{os.getpid()}"
        operators = {name: {"executed": executed, "fell_back": fell_back, "refused": refused} for name, (executed, fell_back, refused) in native.counts().items()}
        memory = [dict(zip(("allocated_bytes", "peak_bytes", "allocation_count"), native.memory(index))) for index in range(native.device_count())]
        report = {"schema": "starbridge.device_report/1", "emulated": True, "chip": profile.chip, "operators": operators, "devices": memory}
        scratch = f"{own}.tmp{os.getpid()}"
        try:
            with open(scratch, "w", encoding="utf-8") as file:
                json.dump(report, file, indent=1)
            os.replace(scratch, own)
        except OSError as error:
            print(f"the device report could not be written: {error}", file=sys.stderr)

    atexit.register(write)
