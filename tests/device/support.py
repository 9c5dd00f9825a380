"""Shared by the tests of the emulated device: profiles, and programs run in a process of their own.

A process has one profile and one backend for life, so every test runs its program in a child.
"""
from __future__ import annotations

import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
BACKENDS = {"npu": ("ascend-910b3", "Ascend910B3", "hccl", "ASCEND_RT_VISIBLE_DEVICES"),
            "mlu": ("mlu370-x8", "MLU370-X8", "cncl", "MLU_VISIBLE_DEVICES")}


@functools.cache
def extension_folder() -> str:
    command = [sys.executable, str(ROOT / "python/emulated/build.py"), "--print-path"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def profile(backend: str = "npu", **changes: Any) -> dict[str, Any]:
    chip, name, dist_backend, visible = BACKENDS[backend]
    base = {"schema": "starbridge.device_profile/1", "chip": chip, "chip_name": name, "vendor": "test", "backend": backend,
            "dist_backend": dist_backend, "memory_bytes": 1 << 30, "device_count": 2, "visible_devices_env": visible,
            "properties": {"name": name}, "dtypes_unsupported": [], "ops": {}, "policy": {"fallback": "warn"}}
    base.update(changes)
    return {key: value for key, value in base.items() if value is not None}


def environment(chosen: dict[str, Any] | str | None, folder: str, extra: dict[str, str]) -> dict[str, str]:
    result = {key: value for key, value in os.environ.items() if not key.startswith(("STARBRIDGE_DEVICE", "TORCH_"))}
    result.update(PYTHONPATH=os.pathsep.join([extension_folder(), str(pathlib.Path(__file__).parent)]), OMP_NUM_THREADS="1")
    if chosen is not None:
        path = pathlib.Path(folder) / "profile.json"
        path.write_text(chosen if isinstance(chosen, str) else json.dumps(chosen))
        result["STARBRIDGE_DEVICE_PROFILE"] = str(path)
    result.update(extra)
    return result


def run(program: str, chosen: dict[str, Any] | str | None, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([sys.executable, "-c", textwrap.dedent(program), *arguments], capture_output=True, text=True,
                              env=environment(chosen, folder, extra), cwd=folder, timeout=200)


def result_of(program: str, chosen: dict[str, Any] | str | None, *arguments: str, **extra: str) -> Any:
    """The JSON that the program prints last; fails with its errors when it ends badly."""
    done = run(program, chosen, *arguments, **extra)
    if done.returncode != 0:
        raise AssertionError(f"the program ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])
