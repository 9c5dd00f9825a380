"""Runs PyTorch programs written for CUDA on the plug-in of another chip, without editing them.

    import starbridge_torch              # before the program's own modules
    python -m starbridge_torch train.py  # the same from outside; children of the program are covered too

Objects are intercepted, never text: a file called "cuda.pt" stays a file. See docs/output-styles.md for what cannot be right.
"""
from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import warnings

from starbridge_torch_start import environment as _environment, smi as _smi

BACKEND_VARIABLE = "STARBRIDGE_TORCH_BACKEND"  # npu, mlu or musa; otherwise the first plug-in that loads
EXCLUDE_VARIABLE = "STARBRIDGE_TORCH_EXCLUDE"  # modules left alone, separated by commas

__all__ = ["activate", "active_backend", "exclude", "include", "excluded", "calls", "write_telemetry"]


class NoPlugin(RuntimeError):
    pass


def _candidates() -> list[str]:
    wanted = os.environ.get(BACKEND_VARIABLE)
    if wanted:
        if wanted not in ("npu", "mlu", "musa"):
            raise NoPlugin(f"{BACKEND_VARIABLE} must be npu, mlu or musa, not {wanted!r}")
        return [wanted]
    return [name for name in ("npu", "mlu", "musa") if _is_installed("torch_" + name)]


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _find_backend() -> str | None:
    failures = []
    for name in _candidates():
        try:
            # Before the plug-in reads which cards it may see.
            _environment.check_visible(name, os.environ.get(_environment.VISIBLE, ""))
            for variable in _environment.COUNTERPARTS.get(name, {}):
                if variable in os.environ:
                    os.environ.setdefault(_environment.COUNTERPARTS[name][variable], os.environ[variable])
            # PyTorch first: it may call this module again through its entry point, and finish the work there.
            importlib.import_module("torch")
            importlib.import_module("torch_" + name)
            return name
        except ImportError as failure:
            failures.append(f"torch_{name}: {failure}")
    if os.environ.get(BACKEND_VARIABLE):
        raise NoPlugin("; ".join(failures) or "no plug-in of that name is installed")
    for failure in failures:
        warnings.warn("starbridge_torch: a plug-in is installed and does not load: " + failure, stacklevel=3)
    return None


_active: dict[str, str] = globals().get("_active", {})  # outlives a reload


def activate() -> str | None:
    """Intercepts from now on; the backend ("npu"), or None on a machine without a plug-in, where nothing changes.

    Further calls change nothing. Errors: NoPlugin, builtins.UnsupportedPython, ValueError for a list of cards that the chip's runtime
    would misread.
    """
    if _active:
        return _active["backend"]
    backend = _find_backend()
    if backend is None or _active:
        return active_backend()
    from starbridge_torch import builtins, cuda_view, devices, distributed, nvml, telemetry, torch_api, view

    builtins.check_python()
    _environment.follow(backend)
    _active["backend"] = backend
    devices.backend, devices.collective = backend, devices.BACKENDS[backend][1]
    for module in filter(None, os.environ.get(EXCLUDE_VARIABLE, "").split(",")):
        view.exclude(module.strip())
    telemetry.start(backend)
    builtins.patch_device()
    builtins.patch_generator()
    torch_api.patch_factories()
    torch_api.patch_tensor()
    torch_api.patch_autocast()
    torch_api.patch_loaders()
    distributed.patch()
    cuda_view.patch()
    nvml.stand_in()
    folder = _smi.put_on_path(backend)
    if folder is not None:
        import atexit
        import shutil

        owner = os.getpid()
        atexit.register(lambda: os.getpid() == owner and shutil.rmtree(folder, ignore_errors=True))
    return backend


def active_backend() -> str | None:
    return _active.get("backend")


def exclude(*modules: str) -> None:
    """Leaves these modules alone: they are answered as if nothing was intercepted. `__starbridge_torch__ = False` in a module is the same."""
    from starbridge_torch import view

    view.exclude(*modules)


def include(*modules: str) -> None:
    from starbridge_torch import view

    view.include(*modules)


def excluded() -> list[str]:
    from starbridge_torch import view

    return view.excluded()


def calls() -> list[dict[str, object]]:
    """What was intercepted so far: file, line, name, count. Needs STARBRIDGE_TORCH_TELEMETRY at the start, or telemetry.switch_on()."""
    from starbridge_torch import telemetry

    return telemetry.calls()


def write_telemetry(path: str) -> None:
    from starbridge_torch import telemetry

    telemetry.write(path)


def _is_run_as_program() -> bool:
    """`python -m starbridge_torch`: its options must be read first."""
    words = sys.orig_argv
    return sys.argv[:1] == ["-m"] and "-m" in words and words[words.index("-m") + 1:][:1] == ["starbridge_torch"]


if not _is_run_as_program():
    activate()
