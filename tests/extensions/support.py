"""Shared by the tests of extensions: a copy of a project of this folder, built and run as a user would."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECTS = pathlib.Path(__file__).resolve().parent


def copy_project(name: str, folder: str) -> pathlib.Path:
    target = pathlib.Path(folder) / name
    shutil.copytree(PROJECTS / name, target)
    return target


def reference_environment(**extra: str) -> dict[str, str]:
    result = {key: value for key, value in os.environ.items() if not key.startswith(("STARBRIDGE_DEVICE", "TORCH_", "SB_EMULATE"))}
    result.update(PYTHONPATH=str(ROOT / "python/reference"), STARBRIDGE_REFERENCE="1", STARBRIDGE_ROOT=str(ROOT), OMP_NUM_THREADS="1",
                  STARBRIDGE_PROGRAM=os.environ.get("STARBRIDGE_BIN", str(ROOT / "bin/starbridge")), PYTHONDONTWRITEBYTECODE="1")
    result.update(extra)
    return result


def run(arguments: list[str], folder: pathlib.Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
