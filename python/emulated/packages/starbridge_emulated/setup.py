"""Brings the device up: names it, fills torch.npu or torch.mlu, and hides CUDA. Runs once, when a plug-in is imported."""
from __future__ import annotations

import os
import sys
import types
from typing import Any

from starbridge_emulated import profile as _profile

RANDOM_VARIABLE = "STARBRIDGE_DEVICE_RANDOM"  # shared (default) or own
TOOLKIT_NAMES = {"npu": "cann", "mlu": "mlu"}
FALLBACK_OFF = {"npu": "TORCH_NPU_FALLBACK_CPU_DISABLE"}  # the vendor's own switch


def _settings(profile: _profile.Profile) -> dict[str, Any]:
    random = os.environ.get(RANDOM_VARIABLE, "shared")
    if random not in ("shared", "own"):
        raise _profile.ProfileError(f"{RANDOM_VARIABLE} must be shared or own, not {random!r}")
    is_off = os.environ.get(FALLBACK_OFF.get(profile.backend, ""), "0") in ("1", "true", "ON")
    if profile.backend == "mlu":
        is_off = os.environ.get("ENABLE_FALLBACK_TO_CPU", "1").lower() in ("0", "false", "off")
    return {"label": profile.backend.upper(), "backend": profile.backend, "chip_name": profile.chip_name,
            "device_count": len(_profile.visible_devices(profile)), "memory_bytes": profile.memory_bytes,
            "dtypes_unsupported": list(profile.dtypes_unsupported), "dtypes_source": "profile of " + profile.chip,
            "refuses_fallback": profile.fallback == "refuse" or is_off, "shares_random_stream": random == "shared"}


def _source(profile: _profile.Profile, name: str) -> str:
    return profile.sources.get(name, name)


def _fill(module: types.ModuleType, profile: _profile.Profile) -> None:
    import torch

    from starbridge_emulated import _C, amp, memory, random, runtime, streams

    for part in (runtime, streams, memory, random):
        for name, value in vars(part).items():
            is_import = isinstance(value, types.ModuleType) or name in ("Any", "annotations")
            if not is_import and not name.startswith("__"):
                setattr(module, name, value)
    random.default_generators = tuple(_C.default_generator(index) for index in range(_C.device_count()))
    module.default_generators = random.default_generators
    for name in ("get_autocast_dtype", "set_autocast_dtype", "is_autocast_enabled", "set_autocast_enabled"):
        setattr(module, name, getattr(amp, name))
    module.OutOfMemoryError = torch.OutOfMemoryError
    module.emulated = True
    module.__path__ = []
    for name, part in (("amp", amp), ("memory", memory), ("random", random), ("streams", streams)):
        setattr(module, name, part)
        sys.modules[f"torch.{profile.backend}.{name}"] = part
        sys.modules[f"torch_{profile.backend}.{profile.backend}.{name}"] = part


CHIP_MEMORY = {"mlu": ("bang", "cnrtMalloc", "cnrtFree")}


def _place_tensors(backend: str) -> None:
    """With STARBRIDGE_KERNEL_RUNTIME=1 tensors lie in the memory of the emulated chip, where kernels of extensions reach them."""
    if os.environ.get("STARBRIDGE_KERNEL_RUNTIME") != "1" or backend not in CHIP_MEMORY:
        return
    import starbridge_extensions

    from starbridge_emulated import _C

    machine, take, give = CHIP_MEMORY[backend]
    _C.use_chip_memory(str(starbridge_extensions.library_folder() / f"libstarbridge_{machine}.so"), take, give)


def set_up(backend: str) -> types.ModuleType:
    """Gives the module that stands at torch.npu or torch.mlu."""
    profile = _profile.current()
    if profile.backend != backend:
        raise ModuleNotFoundError(f"No module named 'torch_{backend}': the device profile describes {profile.chip_name} "
                                  f"({profile.backend})", name=f"torch_{backend}")
    import torch

    if hasattr(torch, backend):
        return getattr(torch, backend)
    from starbridge_emulated import _C

    rules = [(rule.name, rule.status, list(rule.dtypes), _source(profile, rule.source), rule.is_documentation_only)
             for rule in profile.rules]
    torch.utils.rename_privateuse1_backend(backend)
    _C.configure(_settings(profile), rules)
    _place_tensors(backend)
    module = types.ModuleType(f"torch.{backend}", "The emulated device's runtime, under the vendor's names.")
    _fill(module, profile)
    torch._register_device_module(backend, module)
    sys.modules[f"torch.{backend}"] = module
    sys.modules[f"torch_{backend}.{backend}"] = module
    unsupported = set(profile.dtypes_unsupported)
    torch.utils.generate_methods_for_privateuse1_backend(for_tensor=True, for_module=True, for_packed_sequence=True,
                                                         for_storage=True, unsupported_dtype=None)
    _add_tensor_types(module, torch, backend)
    _add_switches(module, torch, backend)

    from starbridge_emulated import amp, autograd_exit, compiling, distributed, no_cuda, report, sharing

    no_cuda.hide()
    # The plug-ins put the version of their toolkit beside that of CUDA.
    setattr(torch.version, TOOLKIT_NAMES[backend], profile.toolkit_version or None)
    distributed.register(backend, profile.dist_backend)
    sharing.register()
    compiling.register(profile)
    other = "torch_mlu" if backend == "npu" else "torch_npu"
    sys.modules.setdefault(other, None)  # type: ignore[arg-type]  # a machine has one vendor's plug-in
    autograd_exit.start()
    report.start(profile)
    if "float64" in unsupported:
        amp.avoid_float64()
    return module


def _add_switches(module: types.ModuleType, torch: Any, backend: str) -> None:
    """Precision switches of the vendors: kept, without effect, for the CPU computes in full float32."""
    # Attention by its definition, as in the reference run: the CPU's fused kernel rounds half precision differently.
    torch._C._set_sdp_use_flash(False)
    ranges = types.SimpleNamespace(mark=lambda *_, **__: None, range_push=lambda *_: 0, range_pop=lambda: 0,
                                   range_start=lambda *_, **__: 0, range_end=lambda *_: None)

    def switches(**values: Any) -> types.SimpleNamespace:
        return types.SimpleNamespace(**values)

    if backend == "npu":
        module.mstx = ranges
        module.matmul = switches(allow_hf32=False)
        module.conv = switches(allow_hf32=True)
        module.set_compile_mode = lambda jit_compile=False: None
        module.set_option = lambda options: None
        for owner in (module, module.memory):
            owner.NPUPluggableAllocator = module._PluggableAllocator
            owner.change_current_allocator = module._change_current_allocator
        return
    module.cnpx = ranges
    torch.backends.cnnl = switches(allow_tf32=True)
    torch.backends.mlu = switches(matmul=switches(allow_tf32=True), custom=switches(), is_built=lambda: True)
    torch.backends.mlufusion = switches(enabled=True)


def _add_tensor_types(module: types.ModuleType, torch: Any, backend: str) -> None:
    """The legacy constructors, torch.npu.FloatTensor and its kin. A plug-in has all of them, whatever its chip computes in."""
    names = {torch.float16: "Half", torch.bfloat16: "BFloat16", torch.float32: "Float", torch.float64: "Double",
             torch.int8: "Char", torch.uint8: "Byte", torch.int16: "Short", torch.int32: "Int", torch.int64: "Long",
             torch.bool: "Bool"}

    class TensorType(type):
        """Programs call these, list them beside the CPU's types and ask isinstance of them."""

        dtype: Any

        def __call__(cls, *values: Any) -> Any:
            if len(values) == 1 and not isinstance(values[0], int):
                return torch.tensor(values[0], dtype=cls.dtype, device=backend)
            return torch.empty(*values, dtype=cls.dtype, device=backend)

        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, torch.Tensor) and value.device.type == backend and value.dtype == cls.dtype

    for dtype, kind in names.items():
        name = kind + "Tensor"
        setattr(module, name, TensorType(name, (), {"dtype": dtype, "__module__": f"torch.{backend}"}))
