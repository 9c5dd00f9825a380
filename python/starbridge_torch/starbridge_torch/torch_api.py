"""PyTorch's functions and methods that take a device: each is replaced by one that looks at its device argument and at nothing else."""
from __future__ import annotations

import functools
import inspect
import sys
from typing import Any, Callable

import torch

from starbridge_torch import builtins, devices, telemetry, view

# Functions of torch with an argument `device`, keyword only but for those of the second list.
FACTORIES = ("arange", "as_tensor", "asarray", "bartlett_window", "blackman_window", "empty", "empty_like", "empty_permuted", "empty_quantized",
             "empty_strided", "eye", "full", "full_like", "hamming_window", "hann_window", "kaiser_window", "linspace", "logspace", "normal", "ones",
             "ones_like", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "range", "scalar_tensor",
             "sparse_bsc_tensor", "sparse_bsr_tensor", "sparse_compressed_tensor", "sparse_coo_tensor", "sparse_csc_tensor", "sparse_csr_tensor",
             "tensor", "tril_indices", "triu_indices", "zeros", "zeros_like")
TENSOR_FACTORIES = ("new_empty", "new_empty_strided", "new_full", "new_ones", "new_tensor", "new_zeros")
AUTOCAST_QUERIES = ("is_autocast_enabled", "get_autocast_dtype", "set_autocast_dtype", "set_autocast_enabled")
MARK = "__starbridge_torch__"


def replace(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    """Puts `make(original)` in the place of owner.name, once; TorchScript keeps knowing it as the operator it was."""
    original = getattr(owner, name, None)
    if original is None or getattr(original, MARK, False):
        return
    mapped = functools.wraps(original)(make(original)) if not inspect.isclass(original) else make(original)
    setattr(mapped, MARK, True)
    script = sys.modules.get("torch.jit._builtins")
    operator = script._find_builtin(original) if script is not None else None
    if operator is not None:
        script._register_builtin(mapped, operator)
    setattr(owner, name, mapped)


def device_keyword(label: str, word: str = "device") -> Callable[[Any], Any]:
    of = devices.of

    def make(original: Any) -> Any:
        def mapped(*arguments: Any, **keywords: Any) -> Any:
            if word in keywords:
                keywords[word] = of(keywords[word], label, sys._getframe(1))
            return original(*arguments, **keywords)
        return mapped
    return make


def device_argument(label: str, position: int, word: str = "device") -> Callable[[Any], Any]:
    """The device stands at `position` or is called `word`."""
    of = devices.of

    def make(original: Any) -> Any:
        def mapped(*arguments: Any, **keywords: Any) -> Any:
            if len(arguments) > position:
                value = arguments[position]
                if type(value) is str or type(value) is int:
                    arguments = (*arguments[:position], of(value, label, sys._getframe(1)), *arguments[position + 1:])
            elif word in keywords:
                keywords[word] = of(keywords[word], label, sys._getframe(1))
            return original(*arguments, **keywords)
        return mapped
    return make


def type_argument(label: str, position: int, default: bool = False, word: str = "device_type") -> Callable[[Any], Any]:
    """The same for a type of device; `default`: without it "cuda" is meant."""
    kind_of = devices.kind_of

    def make(original: Any) -> Any:
        def mapped(*arguments: Any, **keywords: Any) -> Any:
            if len(arguments) > position:
                arguments = (*arguments[:position], kind_of(arguments[position], label), *arguments[position + 1:])
            elif word in keywords:
                keywords[word] = kind_of(keywords[word], label)
            elif default:
                keywords[word] = kind_of("cuda", label)
            return original(*arguments, **keywords)
        return mapped
    return make


def patch_factories() -> None:
    for name in FACTORIES:
        replace(torch, name, device_keyword("torch." + name))
    for name in ("fftfreq", "rfftfreq"):
        replace(torch.fft, name, device_keyword("torch.fft." + name))
    replace(torch, "set_default_device", device_argument("torch.set_default_device", 0))
    replace(torch, "set_default_tensor_type", _make_default_tensor_type)
    replace(torch, "load", _make_load)
    replace(torch.jit, "load", device_argument("torch.jit.load", 1, "map_location"))
    replace(torch.random, "fork_rng", type_argument("torch.random.fork_rng", 4, default=True))


def _map_location(value: Any, label: str, frame: Any) -> Any:
    if isinstance(value, dict):
        return {devices.of(key, label, frame): devices.of(place, label, frame) for key, place in value.items()} | value | {
            key: devices.of(place, label, frame) for key, place in value.items()}
    return devices.of(value, label, frame)


def _make_load(original: Any) -> Any:
    def load(f: Any, *arguments: Any, **keywords: Any) -> Any:
        frame = sys._getframe(1)
        if arguments:
            arguments = (_map_location(arguments[0], "torch.load", frame), *arguments[1:])
        elif "map_location" in keywords:
            keywords["map_location"] = _map_location(keywords["map_location"], "torch.load", frame)
        return original(f, *arguments, **keywords)
    return load


def _make_default_tensor_type(original: Any) -> Any:
    def set_default_tensor_type(t: Any) -> None:
        from starbridge_torch import tensor_types

        kind = tensor_types.find(t)
        if kind is None:
            return original(t)
        telemetry.record(view.caller(), "torch.set_default_tensor_type")
        torch.set_default_dtype(kind.dtype)
        torch.set_default_device(devices.backend)
        return None
    return set_default_tensor_type


def _make_to(label: str) -> Callable[[Any], Any]:
    of = devices.of

    def make(original: Any) -> Any:
        def to(self: Any, *arguments: Any, **keywords: Any) -> Any:
            if arguments:
                first = arguments[0]
                if type(first) is str or type(first) is int:
                    arguments = (of(first, label, sys._getframe(1)), *arguments[1:])
            if "device" in keywords:
                keywords["device"] = of(keywords["device"], label, sys._getframe(1))
            return original(self, *arguments, **keywords)
        return to
    return make


def patch_tensor() -> None:
    tensor = torch.Tensor
    replace(tensor, "to", _make_to("Tensor.to"))
    replace(torch.nn.Module, "to", _make_to("Module.to"))
    for name in TENSOR_FACTORIES:
        replace(tensor, name, device_keyword("Tensor." + name))
    replace(tensor, "pin_memory", device_argument("Tensor.pin_memory", 1))
    replace(tensor, "is_pinned", device_argument("Tensor.is_pinned", 1))
    replace(tensor, "cuda", _make_tensor_cuda)
    replace(tensor, "type", _make_tensor_type)
    base = torch._C.TensorBase.is_cuda.__get__  # type: ignore[attr-defined]
    read_device = torch._C.TensorBase.device.__get__  # type: ignore[attr-defined]
    real_type = devices.real_type
    builtins.view_property(tensor, "is_cuda", lambda self: base(self) or real_type(read_device(self)) == devices.backend, "Tensor.is_cuda")
    packed = torch.nn.utils.rnn.PackedSequence
    builtins.view_property(packed, "is_cuda", lambda self: real_type(self.data.device) == devices.backend, "PackedSequence.is_cuda")
    _patch_storages()


def _make_tensor_cuda(original: Any) -> Any:
    def cuda(self: Any, device: Any = None, non_blocking: bool = False, memory_format: Any = torch.preserve_format) -> Any:
        frame = view.caller_of(sys._getframe(1))
        if view.is_opted_out(frame):
            return original(self, device, non_blocking, memory_format=memory_format)
        telemetry.record(frame, "Tensor.cuda")
        target = devices.backend if device is None else devices.of(device, "Tensor.cuda", frame)
        return self.to(device=target, non_blocking=non_blocking, memory_format=memory_format)
    return cuda


def _make_tensor_type(original: Any) -> Any:
    def tensor_type(self: Any, dtype: Any = None, non_blocking: bool = False, **keywords: Any) -> Any:
        from starbridge_torch import tensor_types

        if dtype is None:
            text = original(self)
            prefix = f"torch.{devices.backend}."
            return "torch.cuda." + text[len(prefix):] if text.startswith(prefix) and view.sees_cuda(sys._getframe(1)) else text
        kind = tensor_types.find(dtype)
        if kind is None:
            return original(self, dtype, non_blocking, **keywords)
        telemetry.record(view.caller(), "Tensor.type")
        return self.to(device=devices.backend, dtype=kind.dtype, non_blocking=non_blocking)
    return tensor_type


def _patch_storages() -> None:
    def make(original: Any) -> Any:
        def cuda(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
            frame = view.caller_of(sys._getframe(1))
            if view.is_opted_out(frame):
                return original(self, device, non_blocking)
            telemetry.record(frame, "Storage.cuda")
            return getattr(self, devices.backend)(None if device is None else torch.device(devices.of(device, "Storage.cuda", frame)), non_blocking)
        return cuda

    for kind in (torch.storage._StorageBase, torch.UntypedStorage, torch.TypedStorage):
        if "cuda" in vars(kind):
            replace(kind, "cuda", make)

    # Files saved on a CUDA machine name it in every tensor. PyTorch asks these functions in the order of their first number.
    def tag(_: Any) -> None:
        return None

    def restore(storage: Any, location: str) -> Any:
        if not isinstance(location, str) or not (location == "cuda" or location.startswith("cuda:")):
            return None
        telemetry.record(view.caller(), "torch.load of a file from CUDA")
        index = location[5:]
        count = torch.get_device_module(devices.backend).device_count()
        if index.isdigit() and int(index) >= count:
            raise RuntimeError(f"the file names {location}, and this process sees {count} {devices.backend} device(s); give torch.load a map_location")
        return getattr(storage, devices.backend)(torch.device(devices.backend, int(index)) if index.isdigit() else None)

    torch.serialization.register_package(15, tag, restore)


def patch_autocast() -> None:
    replace(torch.autocast, "__init__", type_argument("torch.autocast", 1))
    replace(torch.amp.GradScaler, "__init__", type_argument("torch.amp.GradScaler", 1, default=True, word="device"))
    for owner in (torch.amp, torch.amp.autocast_mode):
        for name in ("custom_fwd", "custom_bwd"):
            replace(owner, name, type_argument("torch.amp." + name, 9))
        replace(owner, "is_autocast_available", type_argument("torch.amp.is_autocast_available", 0))
    for name in AUTOCAST_QUERIES:
        replace(torch, name, _make_autocast_query("torch." + name, name.startswith("is_")))
    replace(torch, "get_autocast_gpu_dtype", lambda _: lambda: torch.get_autocast_dtype(devices.backend))
    replace(torch, "set_autocast_gpu_dtype", lambda _: lambda dtype: torch.set_autocast_dtype(devices.backend, dtype))


def _make_autocast_query(label: str, may_be_bare: bool) -> Callable[[Any], Any]:
    def make(original: Any) -> Any:
        def query(*arguments: Any, **keywords: Any) -> Any:
            if arguments and type(arguments[0]) is str:
                arguments = (devices.kind_of(arguments[0], label), *arguments[1:])
            elif not arguments and "device_type" in keywords:
                keywords["device_type"] = devices.kind_of(keywords["device_type"], label)
            elif not arguments and may_be_bare and view.sees_cuda(sys._getframe(1)):
                arguments = (devices.backend,)
            return original(*arguments, **keywords)
        return query
    return make


def patch_loaders() -> None:
    replace(torch.utils.data.DataLoader, "__init__", device_keyword("torch.utils.data.DataLoader", "pin_memory_device"))
