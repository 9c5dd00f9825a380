"""The module torch.npu or torch.mlu: what scripts call beside tensors."""

from __future__ import annotations

import contextlib
import types
from typing import Any

from starbridge_device.profile import Profile


def make(torch: Any, native: Any, profile: Profile, visible: list[int]) -> types.ModuleType:
    backend = profile.backend
    module = types.ModuleType(f"torch_{backend}.{backend}", f"Emulated {profile.chip_name}: the interface of torch.{backend}.")
    module.__path__ = []  # type: ignore[attr-defined]

    def index_of(device: Any = None) -> int:
        if device is None:
            return int(native.current_device())
        if isinstance(device, int):
            return device
        device = torch.device(device)
        if device.type != backend:
            raise ValueError(f"Expected a {backend} device, but got: {device}")
        return int(native.current_device()) if device.index is None else int(device.index)

    class DeviceProperties:
        def __init__(self) -> None:
            self.name = f"{profile.chip_name} (emulated)"
            self.total_memory = profile.memory_bytes
            self.is_emulated = True
            for key, value in profile.properties.items():
                if not hasattr(self, key):
                    setattr(self, key, value)

        def __repr__(self) -> str:
            return f"_DeviceProperties(name='{self.name}', total_memory={self.total_memory // (1 << 20)}MB)"

    def set_device(device: Any) -> None:
        native.set_device(index_of(device))

    class device_guard:
        """Context manager that changes the current device."""

        def __init__(self, device: Any) -> None:
            self.index = -1 if device is None else index_of(device)
            self.before = -1

        def __enter__(self) -> None:
            self.before = int(native.current_device())
            if self.index >= 0:
                native.set_device(self.index)

        def __exit__(self, *_: object) -> None:
            native.set_device(self.before)

    class Stream:
        """Makes a torch.Stream of the emulated device; torch's own type is final."""

        def __new__(cls, device: Any = None, priority: int = 0, **_: Any) -> Any:
            return torch.Stream(device=torch.device(backend, index_of(device)), priority=priority)

    class Event:
        """Makes a torch.Event of the emulated device; torch's own type is final."""

        def __new__(cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> Any:
            return torch.Event(device=torch.device(backend), enable_timing=True, blocking=blocking)

    class stream_context:
        def __init__(self, stream: Any) -> None:
            self.stream = stream

        def __enter__(self) -> None:
            if self.stream is not None:
                self.stream.__enter__()

        def __exit__(self, *error: Any) -> None:
            if self.stream is not None:
                self.stream.__exit__(*error)

    def generator(device: Any = None) -> Any:
        return native.default_generator(index_of(device))

    def manual_seed_all(seed: int) -> None:
        for index in range(native.device_count()):
            native.default_generator(index).manual_seed(int(seed))

    def memory_stats(device: Any = None) -> dict[str, int]:
        allocated, peak, count = native.memory(index_of(device))
        return {"allocated_bytes.all.current": allocated, "allocated_bytes.all.peak": peak, "reserved_bytes.all.current": allocated,
                "reserved_bytes.all.peak": peak, "allocation.all.allocated": count}

    def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
        allocated, peak, count = native.memory(index_of(device))
        return f"{profile.chip_name} (emulated): {allocated} bytes allocated, peak {peak}, {count} allocations"

    def unsupported(name: str) -> Any:
        def refuse(*_: Any, **__: Any) -> Any:
            raise RuntimeError(f"torch.{backend}.{name} is not available on the emulated {profile.chip_name}")

        return refuse

    members: dict[str, Any] = {
        "is_available": lambda: native.device_count() > 0,
        "is_initialized": lambda: True,
        "init": lambda: None,
        "_lazy_init": lambda: None,
        "_is_in_bad_fork": lambda: False,
        "device_count": lambda: int(native.device_count()),
        "current_device": lambda: int(native.current_device()),
        "set_device": set_device,
        "device": device_guard,
        "_DeviceGuard": device_guard,
        "device_of": lambda tensor: device_guard(tensor.device if tensor.device.type == backend else None),
        "get_device_name": lambda device=None: f"{profile.chip_name} (emulated)" if index_of(device) >= 0 else "",
        "get_device_properties": lambda device=None: DeviceProperties(),
        "get_device_capability": lambda device=None: None,
        "can_device_access_peer": lambda device, peer: True,
        "is_bf16_supported": lambda: "bfloat16" not in profile.dtypes_unsupported,
        "synchronize": lambda device=None: None,
        "Stream": Stream,
        "Event": Event,
        "stream": stream_context,
        "current_stream": lambda device=None: torch.accelerator.current_stream(torch.device(backend, index_of(device))),
        "default_stream": lambda device=None: torch.accelerator.current_stream(torch.device(backend, index_of(device))),
        "set_stream": lambda stream: torch.accelerator.set_stream(stream),
        "manual_seed": lambda seed: generator().manual_seed(int(seed)) and None,
        "manual_seed_all": manual_seed_all,
        "seed": lambda: generator().seed(),
        "seed_all": lambda: generator().seed(),
        "initial_seed": lambda: generator().initial_seed(),
        "get_rng_state": lambda device=None: generator(device).get_state(),
        "set_rng_state": lambda state, device=None: generator(device).set_state(state),
        "get_rng_state_all": lambda: [native.default_generator(index).get_state() for index in range(native.device_count())],
        "set_rng_state_all": lambda states: [native.default_generator(index).set_state(state) for index, state in enumerate(states)] and None,
        "default_generators": [native.default_generator(index) for index in range(len(visible))],
        "memory_allocated": lambda device=None: native.memory(index_of(device))[0],
        "max_memory_allocated": lambda device=None: native.memory(index_of(device))[1],
        "memory_reserved": lambda device=None: native.memory(index_of(device))[0],
        "max_memory_reserved": lambda device=None: native.memory(index_of(device))[1],
        "reset_peak_memory_stats": lambda device=None: native.reset_peak(index_of(device)),
        "reset_max_memory_allocated": lambda device=None: native.reset_peak(index_of(device)),
        "mem_get_info": lambda device=None: (profile.memory_bytes - native.memory(index_of(device))[0], profile.memory_bytes),
        "memory_stats": memory_stats,
        "memory_summary": memory_summary,
        "empty_cache": lambda: None,
        "set_per_process_memory_fraction": lambda fraction, device=None: None,
        "ipc_collect": lambda: None,
        "utilization": lambda device=None: 0,
        "get_amp_supported_dtype": lambda: [torch.float16, torch.bfloat16],
        "is_autocast_enabled": lambda: torch.is_autocast_enabled(backend),
        "set_autocast_enabled": lambda enabled: torch.set_autocast_enabled(backend, enabled),
        "get_autocast_dtype": lambda: torch.get_autocast_dtype(backend),
        "set_autocast_dtype": lambda dtype: torch.set_autocast_dtype(backend, dtype),
        "OutOfMemoryError": torch.OutOfMemoryError,
        "NPUGraph": unsupported("NPUGraph"),
        "set_compile_mode": lambda jit_compile=False: None,
        "set_option": lambda option: None,
        "is_emulated": lambda: True,
    }
    for name, member in members.items():
        setattr(module, name, member)
    _add_switches(torch, module, backend)
    return module


def _add_switches(torch: Any, module: Any, backend: str) -> None:
    """Switches of the plug-ins that change speed or precision on a real card and nothing here, and the range markers."""
    ranges = types.SimpleNamespace(mark=lambda *_, **__: None, range_start=lambda *_, **__: 0, range_end=lambda *_: None,
                                   range_push=lambda *_, **__: 0, range_pop=lambda *_: 0, range=lambda *_, **__: contextlib.nullcontext())
    if backend == "npu":
        module.matmul = types.SimpleNamespace(allow_hf32=False)
        module.conv = types.SimpleNamespace(allow_hf32=True)
        module.mstx = ranges
        for kind in ("flash", "math", "mem_efficient"):
            setattr(module, f"enable_{kind}_sdp", lambda enabled: None)
            setattr(module, f"{kind}_sdp_enabled", lambda: kind == "math")
        return
    module.cnpx = ranges
    torch.backends.mlu = types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=False), is_built=lambda: True)
    torch.backends.cnnl = types.SimpleNamespace(allow_tf32=True, enabled=True)
    for kind in ("flash", "math", "mem_efficient"):
        setattr(torch.backends.mlu, f"enable_{kind}_sdp", lambda enabled: None)
        setattr(torch.backends.mlu, f"{kind}_sdp_enabled", lambda: kind == "math")
