"""The reference run: a project written for CUDA executed on the CPU, with the CUDA names mapped.

torch.device("cuda") stays what the script sees as text, but tensors live on the CPU. What a script asks of torch.cuda is answered for an
emulated card. Everything is mapped by object, when torch is imported; no source text is looked at.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
import time
from typing import Any, Callable

from starbridge_hooks import after_import

MEMORY_DEFAULT = 80 << 30


def install() -> None:
    """Arranges that torch is mapped right after its import."""
    # torch.compile asks torch.cuda whether there is a card, hears yes, and would have Triton look for its driver.
    os.environ.setdefault("TORCHINDUCTOR_TRITON_DISABLE_DEVICE_DETECTION", "1")
    after_import("torch", _map_torch)


def _device_count() -> int:
    count = int(os.environ.get("STARBRIDGE_REFERENCE_DEVICE_COUNT", "1"))
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return count
    shown = 0
    for part in visible.split(","):
        # Like the CUDA runtime: a bad entry hides itself and everything after it.
        if not part.strip().isdigit() or int(part) >= count:
            break
        shown += 1
    return shown


def _map_torch(torch: Any) -> None:
    if getattr(torch, "_starbridge_reference", False):
        return
    torch._starbridge_reference = True
    mapper = _Mapper(torch)
    mapper.map_devices()
    mapper.map_methods()
    mapper.map_cuda_module()
    mapper.map_accelerator()
    mapper.map_amp()
    mapper.map_distributed()


class _TensorType(type):
    """torch.cuda.FloatTensor and the like: types of their own, as programs that list both expect, of which the CPU's tensors are."""

    plain: Any

    def __call__(cls, *arguments: Any, **keywords: Any) -> Any:
        return cls.plain(*arguments, **keywords)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls.plain)


def _plain_type(kind: Any) -> Any:
    """The CPU's type for one of CUDA's, given as an object or as text; everything else unchanged."""
    return kind.plain if isinstance(kind, _TensorType) else kind.replace("torch.cuda.", "torch.") if isinstance(kind, str) else kind


class _Memory:
    """What torch.cuda would call allocated: the tensors that are alive, each storage once. Seen only when asked, so that a peak between
    two questions is missed; counted are all tensors, for here none is on a card."""

    def __init__(self, torch: Any) -> None:
        self.torch, self.highest = torch, 0

    def allocated(self, device: Any = None) -> int:
        storages: dict[int, int] = {}
        for value in gc.get_objects():
            if issubclass(type(value), self.torch.Tensor):
                try:
                    storage = value.untyped_storage()
                    storages[storage.data_ptr()] = storage.nbytes()
                except Exception:  # noqa: BLE001  (sparse, meta and wrapped tensors have no storage of their own)
                    continue
        bytes_ = sum(-(-size // 512) * 512 for size in storages.values())
        self.highest = max(self.highest, bytes_)
        return bytes_

    def peak(self, device: Any = None) -> int:
        self.allocated()
        return self.highest

    def reset(self, device: Any = None) -> None:
        self.highest = 0

    def statistics(self, device: Any = None) -> dict[str, int]:
        now, peak = self.allocated(), self.peak()
        return {f"{kind}_bytes.all.{what}": value for kind in ("allocated", "active", "reserved") for what, value in (("current", now), ("peak", peak))}


class _Mapper:
    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.name = os.environ.get("STARBRIDGE_REFERENCE_DEVICE_NAME", "emulated CUDA card")
        self.memory = int(os.environ.get("STARBRIDGE_REFERENCE_MEMORY_BYTES", "0") or 0) or MEMORY_DEFAULT
        self.current = 0

    # --- devices ---------------------------------------------------------------------------------------------------
    def to_cpu(self, value: Any) -> Any:
        """The CPU for whatever names a CUDA device; everything else unchanged."""
        if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
            self.check_index(value[5:])
            return "cpu"
        if isinstance(value, self.torch.device) and value.type == "cuda":
            return self.torch.device("cpu")
        return value

    def check_index(self, text: str) -> None:
        if text.isdigit() and int(text) >= _device_count():
            raise RuntimeError(f"CUDA error: invalid device ordinal ({text}; this run has {_device_count()} emulated card(s))")

    def wrap(self, function: Callable[..., Any], numbers_are_devices: bool = False) -> Callable[..., Any]:
        to_cpu = self.to_cpu
        device_type = self.torch.device

        @functools.wraps(function)
        def mapped(*arguments: Any, **keywords: Any) -> Any:
            device = keywords.get("device")
            if device is not None:
                keywords["device"] = "cpu" if isinstance(device, int) and not isinstance(device, bool) else to_cpu(device)
            if arguments:
                arguments = tuple(to_cpu(a) if isinstance(a, (str, device_type)) else a for a in arguments)
                if numbers_are_devices and len(arguments) > 1 and type(arguments[1]) is int:
                    arguments = (arguments[0], "cpu", *arguments[2:])
            return function(*arguments, **keywords)

        return mapped

    def replace(self, owner: Any, name: str) -> None:
        """TorchScript knows operators by the function object; one it does not know it would compile from its source."""
        original = getattr(owner, name)
        mapped = self.wrap(original)
        builtins = self.torch.jit._builtins
        operator = builtins._find_builtin(original)
        if operator is not None:
            builtins._register_builtin(mapped, operator)
        setattr(owner, name, mapped)

    def map_devices(self) -> None:
        torch = self.torch
        for name in ("empty", "zeros", "ones", "full", "rand", "randn", "randint", "randperm", "arange", "linspace", "logspace", "eye", "tensor", "as_tensor",
                     "empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "randint_like", "asarray", "tril_indices", "triu_indices",
                     "empty_strided", "from_numpy", "scalar_tensor", "sparse_coo_tensor", "complex", "hann_window", "hamming_window", "normal", "bartlett_window"):
            if hasattr(torch, name):
                self.replace(torch, name)
        torch.set_default_device = self.wrap(torch.set_default_device)
        load = torch.load

        @functools.wraps(load)
        def mapped_load(file: Any, map_location: Any = None, *arguments: Any, **keywords: Any) -> Any:
            if isinstance(map_location, dict):
                map_location = {self.to_cpu(key): self.to_cpu(value) for key, value in map_location.items()}
            # Checkpoints that real cards wrote have CUDA tags in them.
            where = "cpu" if map_location is None else self.to_cpu(map_location)
            return load(file, where, *arguments, **keywords)

        torch.load = mapped_load
        generator = torch.Generator

        class Kind(type):
            def __instancecheck__(cls, value: Any) -> bool:
                return isinstance(value, generator)

        class Generator(metaclass=Kind):
            def __new__(cls, device: Any = "cpu") -> Any:
                return generator(device="cpu" if type(device) is int else self.to_cpu(device))

        torch.Generator = Generator

    def map_methods(self) -> None:
        torch = self.torch

        def tensor_cuda(tensor: Any, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Any:
            self.check_index(str(device) if isinstance(device, int) else str(device or "")[5:])
            return tensor

        torch.Tensor.cuda = tensor_cuda
        torch.Tensor.is_cuda = property(lambda tensor: True)
        torch.Tensor.pin_memory = lambda tensor, device=None: tensor
        torch.Tensor.is_pinned = lambda tensor, device=None: False
        torch.Tensor.record_stream = lambda tensor, stream: None
        torch.Tensor.to = self.wrap(torch.Tensor.to, numbers_are_devices=True)
        torch.Tensor.get_device = lambda tensor: 0
        for name in ("new_empty", "new_zeros", "new_ones", "new_full", "new_tensor"):
            setattr(torch.Tensor, name, self.wrap(getattr(torch.Tensor, name)))
        tensor_type = torch.Tensor.type

        def mapped_type(tensor: Any, dtype: Any = None, non_blocking: bool = False, **keywords: Any) -> Any:
            dtype = _plain_type(dtype)
            return tensor_type(tensor, dtype, non_blocking, **keywords) if dtype is not None else tensor_type(tensor)

        torch.Tensor.type = mapped_type
        torch.nn.Module.cuda = lambda module, device=None: module
        torch.nn.Module.to = self.wrap(torch.nn.Module.to, numbers_are_devices=True)
        torch.nn.Module.to_empty = self.wrap(torch.nn.Module.to_empty)
        parallel = torch.nn.parallel.DistributedDataParallel
        init = parallel.__init__

        @functools.wraps(init)
        def mapped_init(model: Any, module: Any, device_ids: Any = None, output_device: Any = None, *arguments: Any, **keywords: Any) -> None:
            init(model, module, None, None, *arguments, **keywords)

        parallel.__init__ = mapped_init
        self.map_data_parallel()
        for modules in (torch.nn.Linear, torch.nn.Embedding, torch.nn.LayerNorm, torch.nn.Conv2d, torch.nn.Parameter):
            if modules is not torch.nn.Parameter:
                modules.__init__ = self.wrap(modules.__init__)

    def map_data_parallel(self) -> None:
        """One copy on the one CPU computes what the copies on the cards would, batch by batch."""
        data_parallel = sys.modules["torch.nn.parallel.data_parallel"]
        data_parallel._get_available_device_type = lambda: None  # type: ignore[attr-defined]

        def mapped(module: Any, inputs: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0, module_kwargs: Any = None) -> Any:
            inputs = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
            return module(*inputs, **(module_kwargs or {}))

        data_parallel.data_parallel = mapped  # type: ignore[attr-defined]
        self.torch.nn.parallel.data_parallel = mapped

    # --- torch.cuda ------------------------------------------------------------------------------------------------
    def map_accelerator(self) -> None:
        """torch.accelerator, which portable programs ask instead of torch.cuda. PyTorch's own loaders ask it too and get the truth."""
        accelerator, cuda, torch = getattr(self.torch, "accelerator", None), self.torch.cuda, self.torch
        if accelerator is None:
            return

        def for_programs(plain: Callable[..., Any], mapped: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(plain)
            def answer(*arguments: Any, **keywords: Any) -> Any:
                is_internal = sys._getframe(1).f_globals.get("__name__", "").partition(".")[0] == "torch"
                return (plain if is_internal else mapped)(*arguments, **keywords)
            return answer

        pairs = {"is_available": cuda.is_available, "device_count": cuda.device_count, "current_device_index": cuda.current_device,
                 "set_device_index": cuda.set_device, "synchronize": cuda.synchronize, "current_stream": cuda.current_stream,
                 "current_accelerator": lambda check_available=False: torch.device("cuda")}
        for name, mapped in pairs.items():
            if hasattr(accelerator, name):
                setattr(accelerator, name, for_programs(getattr(accelerator, name), mapped))

    def map_cuda_module(self) -> None:
        torch, cuda = self.torch, self.torch.cuda
        mapper = self

        class Event:
            def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
                self.at = 0.0

            def record(self, stream: Any = None) -> None:
                self.at = time.perf_counter()

            def wait(self, stream: Any = None) -> None:
                return None

            def query(self) -> bool:
                return True

            def synchronize(self) -> None:
                return None

            def elapsed_time(self, end: Any) -> float:
                return (end.at - self.at) * 1000.0

        class Stream:
            def __init__(self, device: Any = None, priority: int = 0, **_: Any) -> None:
                self.device = torch.device("cpu")

            def __enter__(self) -> Any:
                return self

            def __exit__(self, *_: object) -> None:
                return None

            def wait_stream(self, stream: Any) -> None:
                return None

            def wait_event(self, event: Any) -> None:
                return None

            def record_event(self, event: Any = None) -> Any:
                event = event or Event()
                event.record()
                return event

            def synchronize(self) -> None:
                return None

            def query(self) -> bool:
                return True

        class device_guard:
            def __init__(self, device: Any = None) -> None:
                self.device = device

            def __enter__(self) -> None:
                return None

            def __exit__(self, *_: object) -> None:
                return None

        class Properties:
            name = self.name
            total_memory = self.memory
            major, minor = 8, 0
            multi_processor_count = 108
            warp_size = 32
            is_emulated = True

        def set_device(device: Any) -> None:
            text = str(getattr(device, "index", device))
            mapper.check_index(text[5:] if text.startswith("cuda:") else text)
            mapper.current = int(text) if text.isdigit() else 0

        def seed_device(seed: int) -> None:
            # torch.manual_seed comes through here, so only the CPU's generator itself may be used.
            torch.default_generator.manual_seed(int(seed))

        zero = lambda *_, **__: 0  # noqa: E731
        nothing = lambda *_, **__: None  # noqa: E731
        memory = _Memory(torch)
        members: dict[str, Any] = {
            "is_available": lambda: _device_count() > 0, "device_count": _device_count, "current_device": lambda: mapper.current, "set_device": set_device,
            "is_initialized": lambda: True, "init": nothing, "_lazy_init": nothing, "synchronize": nothing, "empty_cache": nothing, "ipc_collect": nothing,
            "get_device_name": lambda device=None: mapper.name, "get_device_properties": lambda device=None: Properties(),
            "get_device_capability": lambda device=None: (8, 0), "is_bf16_supported": lambda *_, **__: True, "get_arch_list": lambda: ["sm_80"],
            "memory_allocated": memory.allocated, "max_memory_allocated": memory.peak, "memory_reserved": memory.allocated,
            "max_memory_reserved": memory.peak, "memory_cached": memory.allocated, "max_memory_cached": memory.peak,
            "reset_peak_memory_stats": memory.reset, "reset_max_memory_allocated": memory.reset, "reset_max_memory_cached": memory.reset,
            "memory_stats": memory.statistics, "memory_summary": lambda *_, **__: "emulated CUDA card",
            "mem_get_info": lambda device=None: (mapper.memory - memory.allocated(), mapper.memory), "set_per_process_memory_fraction": nothing, "utilization": zero,
            "manual_seed": seed_device, "manual_seed_all": seed_device, "seed": torch.seed, "seed_all": torch.seed, "initial_seed": torch.initial_seed,
            "get_rng_state": lambda device=None: torch.get_rng_state(), "set_rng_state": lambda state, device=None: torch.set_rng_state(state),
            "get_rng_state_all": lambda: [torch.get_rng_state()], "set_rng_state_all": lambda states: torch.set_rng_state(states[0]),
            "Event": Event, "Stream": Stream, "device": device_guard, "stream": lambda stream: device_guard(), "current_stream": lambda device=None: Stream(),
            "default_stream": lambda device=None: Stream(), "set_stream": nothing, "_is_in_bad_fork": lambda: False, "can_device_access_peer": lambda *_: True,
        }
        for name, member in members.items():
            setattr(cuda, name, member)
        # Portable code asks torch.accelerator; without a driver the CPU is what there is.
        torch.accelerator.is_available = lambda: False
        torch.accelerator.current_accelerator = lambda check_available=False: None
        for kind in ("Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool"):
            if hasattr(torch, f"{kind}Tensor"):
                setattr(cuda, f"{kind}Tensor", _TensorType(f"{kind}Tensor", (), {"plain": getattr(torch, f"{kind}Tensor"), "__module__": "torch.cuda"}))
        choose = torch.set_default_tensor_type
        torch.set_default_tensor_type = functools.wraps(choose)(lambda kind: choose(_plain_type(kind)))

    # --- mixed precision ---------------------------------------------------------------------------------------------
    def map_amp(self) -> None:
        torch = self.torch
        autocast = torch.amp.autocast
        init = autocast.__init__

        @functools.wraps(init)
        def mapped_init(context: Any, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: Any = None) -> None:
            if device_type == "cuda":
                dtype = torch.float16 if dtype is None else dtype
            init(context, self.to_cpu(device_type), dtype, enabled, cache_enabled)

        autocast.__init__ = mapped_init
        scaler = torch.amp.GradScaler.__init__

        @functools.wraps(scaler)
        def mapped_scaler(instance: Any, device: str = "cuda", *arguments: Any, **keywords: Any) -> None:
            scaler(instance, self.to_cpu(device), *arguments, **keywords)

        torch.amp.GradScaler.__init__ = mapped_scaler

        class CudaAutocast(autocast):  # type: ignore[misc, valid-type]
            def __init__(self, enabled: bool = True, dtype: Any = torch.float16, cache_enabled: bool = True) -> None:
                super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)

        class CudaScaler(torch.amp.GradScaler):  # type: ignore[misc]
            def __init__(self, *arguments: Any, **keywords: Any) -> None:
                super().__init__("cuda", *arguments, **keywords)

        for module in (torch.cuda.amp, torch.cuda.amp.autocast_mode, torch.cuda.amp.grad_scaler):
            module.autocast = CudaAutocast
            module.GradScaler = CudaScaler
        for name in ("is_autocast_enabled", "get_autocast_dtype", "set_autocast_enabled", "set_autocast_dtype"):
            self.replace(torch, name)

    def map_distributed(self) -> None:
        import torch.distributed as dist

        if not dist.is_available():
            return
        start = dist.init_process_group

        @functools.wraps(start)
        def mapped_start(backend: Any = None, *arguments: Any, **keywords: Any) -> Any:
            keywords.pop("device_id", None)
            if backend is None or "nccl" in str(backend):
                backend = "gloo"
            return start(backend, *arguments, **keywords)

        dist.init_process_group = mapped_start
        sys.modules["torch.distributed.distributed_c10d"].init_process_group = mapped_start  # type: ignore[attr-defined]
        dist.is_nccl_available = lambda: True
        group = dist.new_group

        @functools.wraps(group)
        def mapped_group(ranks: Any = None, timeout: Any = None, backend: Any = None, *arguments: Any, **keywords: Any) -> Any:
            return group(ranks, timeout, "gloo" if backend == "nccl" else backend, *arguments, **keywords)

        dist.new_group = mapped_group
