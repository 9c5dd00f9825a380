"""A stand-in for nvidia-smi, on the PATH only where the real one is not. It reads the cards from the vendor's plug-in in a process of its
own, answers -L and --query-gpu, and refuses everything else with the name of the vendor's tool.
"""
from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile

TOOLS = {"npu": "npu-smi info", "mlu": "cnmon", "musa": "mthreads-gmi"}
FIELDS = ("index", "name", "gpu_name", "count", "memory.total", "memory.used", "memory.free", "utilization.gpu")
UNKNOWN = "[N/A]"


def put_on_path(backend: str) -> str | None:
    """Makes `nvidia-smi` findable for this process and its children; the folder, or None when a real one is there."""
    if shutil.which("nvidia-smi") is not None:
        return None
    folder = tempfile.mkdtemp(prefix="starbridge-torch-")
    path = os.path.join(folder, "nvidia-smi")
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {home!r})\n"
                   f"from starbridge_torch_start import smi\nsys.exit(smi.main(sys.argv[1:], {backend!r}))\n")
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    os.environ["PATH"] = folder + os.pathsep + os.environ.get("PATH", os.defpath)
    return folder


def _cards(backend: str) -> list[dict[str, str]]:
    os.environ["STARBRIDGE_TORCH"] = "0"
    import importlib

    import torch

    importlib.import_module("torch_" + backend)
    runtime = torch.get_device_module(backend)
    cards = []
    for index in range(runtime.device_count()):
        card = {"index": str(index), "name": str(runtime.get_device_name(index)), "count": str(runtime.device_count())}
        card["gpu_name"] = card["name"]
        free, total = runtime.mem_get_info(index)
        for field, value in (("memory.total", total), ("memory.used", total - free), ("memory.free", free)):
            card[field] = str(value >> 20)
        cards.append(card)
    return cards


def _refuse(what: str, backend: str) -> int:
    print(f"nvidia-smi: this machine has no NVIDIA card; starbridge_torch stands in for -L and --query-gpu, not for {what}. "
          f"Use {TOOLS.get(backend, 'the tool of the vendor')}.", file=sys.stderr)
    return 2


def main(arguments: list[str], backend: str) -> int:
    fields: list[str] = []
    layout = ""
    is_list = False
    for argument in arguments:
        name, _, value = argument.partition("=")
        if argument in ("-L", "--list-gpus"):
            is_list = True
        elif name == "--query-gpu":
            fields = [field.strip() for field in value.split(",")]
        elif name == "--format":
            layout = value
        else:
            return _refuse(argument, backend)
    unknown = [field for field in fields if field not in FIELDS]
    if unknown:
        return _refuse(f"the field {unknown[0]}", backend)
    if fields and not layout.startswith("csv") or not fields and not is_list:
        return _refuse("its table" if not fields else "this format", backend)
    try:
        cards = _cards(backend)
    except Exception as failure:
        print(f"nvidia-smi: the cards cannot be read through torch_{backend}: {failure}", file=sys.stderr)
        return 9
    if is_list:
        for card in cards:
            print(f"GPU {card['index']}: {card['name']}")
        return 0
    options = [part.strip() for part in layout.split(",")]
    if "noheader" not in options:
        print(", ".join(field + (" [MiB]" if field.startswith("memory.") else "") for field in fields))
    for card in cards:
        unit = "" if "nounits" in options else " MiB"
        print(", ".join(card.get(field, UNKNOWN) + (unit if field.startswith("memory.") else "") for field in fields))
    return 0
