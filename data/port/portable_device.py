"""The card of this machine, for a project that runs on NVIDIA cards and on others. Written by a port; edit it as you like.

    import portable_device
    model.to(portable_device.name)                      # "cuda", "npu", ...
    dist.init_process_group(portable_device.collective)  # "nccl", "hccl", ...
    portable_device.runtime.synchronize()               # torch.cuda, torch.npu, ...

PORTABLE_DEVICE=cuda in the environment chooses by hand. No card is touched before it is used.
"""

import importlib
import importlib.util
import os
import sys

# Device type -> the PyTorch plug-in that brings it, and its collective backend.
FAMILIES = {
    "npu": ("torch_npu", "hccl"),
    "mlu": ("torch_mlu", "cncl"),
    "musa": ("torch_musa", "mccl"),
    "cuda": (None, "nccl"),
}

# Where a runtime calls a part of torch.cuda by another name.
RENAMED = {
    "npu": {"CUDAGraph": "NPUGraph", "CUDAPluggableAllocator": "NPUPluggableAllocator", "cudart": "npurt", "nvtx": "mstx"},
    "mlu": {"CUDAGraph": "MLUGraph", "nvtx": "cnpx", "nccl": "cncl"},
}

# Names outside torch.cuda that differ. What is not listed is the same everywhere.
NAMES = {
    "torch.profiler.ProfilerActivity.CUDA": {"npu": "torch_npu.profiler.ProfilerActivity.NPU", "mlu": "torch.profiler.ProfilerActivity.MLU"},
    "torch.profiler.profile": {"npu": "torch_npu.profiler.profile"},
    "torch.distributed.Backend.NCCL": {"npu": "torch.distributed.Backend.HCCL", "mlu": "torch.distributed.Backend.CNCL"},
    "torch.distributed.is_nccl_available": {"npu": "torch.distributed.is_hccl_available", "mlu": "torch.distributed.is_cncl_available"},
    "torch.distributed.ProcessGroupNCCL": {"npu": "torch.distributed.ProcessGroupHCCL", "mlu": "torch.distributed.ProcessGroupCNCL"},
    "torch.get_autocast_gpu_dtype": {"npu": "torch.npu.get_autocast_dtype", "mlu": "torch.mlu.get_autocast_dtype"},
    "torch.set_autocast_gpu_dtype": {"npu": "torch.npu.set_autocast_dtype", "mlu": "torch.mlu.set_autocast_dtype"},
}

# Environment variables of the same meaning.
VARIABLES = {
    "CUDA_VISIBLE_DEVICES": {"npu": "ASCEND_RT_VISIBLE_DEVICES", "mlu": "MLU_VISIBLE_DEVICES"},
    "CUDA_LAUNCH_BLOCKING": {"npu": "ASCEND_LAUNCH_BLOCKING"},
    "PYTORCH_CUDA_ALLOC_CONF": {"npu": "PYTORCH_NPU_ALLOC_CONF", "mlu": "PYTORCH_MLU_ALLOC_CONF"},
    "PYTORCH_NO_CUDA_MEMORY_CACHING": {"npu": "PYTORCH_NO_NPU_MEMORY_CACHING", "mlu": "PYTORCH_NO_MLU_MEMORY_CACHING"},
    "TORCH_NCCL_ASYNC_ERROR_HANDLING": {"npu": "TORCH_HCCL_ASYNC_ERROR_HANDLING", "mlu": "CNCL_ASYNC_ERROR_HANDLING"},
    "TORCH_NCCL_BLOCKING_WAIT": {"npu": "TORCH_HCCL_BLOCKING_WAIT", "mlu": "CNCL_BLOCKING_WAIT"},
    "NCCL_SOCKET_IFNAME": {"npu": "HCCL_SOCKET_IFNAME"},
    "NCCL_SOCKET_FAMILY": {"npu": "HCCL_SOCKET_FAMILY"},
}


def _find_name():
    chosen = os.environ.get("PORTABLE_DEVICE")
    if chosen:
        if chosen not in FAMILIES:
            raise ValueError("PORTABLE_DEVICE must be one of %s, not %r" % (", ".join(sorted(FAMILIES)), chosen))
        if FAMILIES[chosen][0]:
            importlib.import_module(FAMILIES[chosen][0])
        return chosen
    for family, (plugin, _) in FAMILIES.items():
        try:
            if plugin and importlib.util.find_spec(plugin) is not None:
                importlib.import_module(plugin)
                return family
        except (ImportError, OSError, RuntimeError, ValueError):  # installed, but not for this machine
            continue
    return "cuda"


def at(device=None):
    """The device for a number, a name or a torch.device as CUDA code writes them: at(1), at("cuda:1"), at(None)."""
    here = _get("name")
    if device is None:
        return here
    if isinstance(device, int) and not isinstance(device, bool):
        return "%s:%d" % (here, device)
    text = str(device)
    return here + text[4:] if text == "cuda" or text.startswith("cuda:") else device


def is_on(value):
    """What x.is_cuda asks, of the card of this machine."""
    return bool(getattr(value, "is_" + _get("name"), False))


def variable(name):
    """The environment variable that does here what `name` does for CUDA."""
    return VARIABLES.get(name, {}).get(_get("name"), name)


def named(path):
    """The object that stands for `path`, "torch.profiler.ProfilerActivity.CUDA", on this machine."""
    words = NAMES.get(path, {}).get(_get("name"), path).split(".")
    found = importlib.import_module(words[0])
    for index, word in enumerate(words[1:], 2):
        if not hasattr(found, word):
            importlib.import_module(".".join(words[:index]))
        found = getattr(found, word)
    return found


class _Runtime:
    """torch.cuda, or what stands for it here, under the names of torch.cuda."""

    def __getattr__(self, word):
        import torch

        here = _get("name")
        module = getattr(torch, here)
        wanted = RENAMED.get(here, {}).get(word, word)
        if hasattr(module, wanted):
            return getattr(module, wanted)
        if hasattr(torch, word):  # OutOfMemoryError and its like have moved up
            return getattr(torch, word)
        raise AttributeError("torch.%s has no %s" % (here, wanted))


runtime = _Runtime()


def _get(word):
    return globals()[word] if word in globals() else __getattr__(word)


def __getattr__(word):
    if word == "name":
        globals()["name"] = _find_name()
        return globals()["name"]
    if word == "collective":
        return FAMILIES[_get("name")][1]
    if word.startswith("__"):
        raise AttributeError(word)
    # from portable_device import autocast, Stream, is_available
    is_of_amp = word in ("autocast", "GradScaler", "custom_fwd", "custom_bwd")
    for part in ("amp",) if is_of_amp else ("", "memory", "nvtx"):
        holder = getattr(runtime, part, None) if part else runtime
        if hasattr(holder, word):
            return getattr(holder, word)
    raise AttributeError("there is no %s on this machine's card (%s)" % (word, _get("name")))


if __name__ == "__main__":
    # In scripts: --device "$(python3 -m portable_device name)"
    asked = sys.argv[1] if len(sys.argv) > 1 else "name"
    if asked not in ("name", "collective"):
        sys.exit("usage: portable_device [name|collective]")
    print(_get(asked))
