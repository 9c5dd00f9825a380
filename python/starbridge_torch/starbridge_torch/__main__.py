"""python -m starbridge_torch [--telemetry FILE] [--exclude MODULES] [--backend NAME] (SCRIPT | -m MODULE) ARGUMENTS..."""
from __future__ import annotations

import argparse
import atexit
import importlib.metadata
import os
import runpy
import shutil
import sys
import tempfile


def _parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(prog="python -m starbridge_torch", description="Runs a program written for CUDA on the chip at hand.",
                                     epilog="example: python -m starbridge_torch --telemetry calls.json train.py --device cuda")
    parser.add_argument("--telemetry", metavar="FILE", help="write every intercepted line there, as JSON")
    parser.add_argument("--exclude", metavar="MODULES", help="modules to leave alone, separated by commas")
    parser.add_argument("--backend", choices=["npu", "mlu", "musa"], help="which plug-in; otherwise the first that loads")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...")
    chosen = parser.parse_args(arguments)
    return chosen, chosen.arguments


def _has_entry_point() -> bool:
    return any(point.name == "starbridge_torch" for point in importlib.metadata.entry_points(group="torch.backends"))


def _announce() -> None:
    """An entry point for processes that the program starts, where pip installed none: a folder of metadata on their path."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folder = tempfile.mkdtemp(prefix="starbridge-torch-")
    info = os.path.join(folder, "starbridge_torch-0.dist-info")
    os.mkdir(info)
    for name, text in (("METADATA", "Metadata-Version: 2.1\nName: starbridge-torch\nVersion: 0\n"),
                       ("entry_points.txt", "[torch.backends]\nstarbridge_torch = starbridge_torch_start.autoload:load\n")):
        with open(os.path.join(info, name), "w", encoding="utf-8") as file:
            file.write(text)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([folder, home] + ([before] if before else []))
    sys.path += [folder, home]  # what multiprocessing spawns is given this path, whatever the environment says
    owner = os.getpid()
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(folder, ignore_errors=True))


def _prepare(chosen: argparse.Namespace) -> None:
    """What this process and its children must find in the environment before torch is imported."""
    os.environ["STARBRIDGE_TORCH"] = "1"
    if chosen.telemetry:
        os.environ["STARBRIDGE_TORCH_TELEMETRY"] = os.path.abspath(chosen.telemetry)
        os.environ["STARBRIDGE_TORCH_TELEMETRY_PID"] = str(os.getpid())
    if chosen.exclude:
        os.environ["STARBRIDGE_TORCH_EXCLUDE"] = chosen.exclude
    if chosen.backend:
        os.environ["STARBRIDGE_TORCH_BACKEND"] = chosen.backend


def main() -> None:
    chosen, arguments = _parse(sys.argv[1:])
    _prepare(chosen)
    import starbridge_torch

    try:
        backend = starbridge_torch.activate()
    except (RuntimeError, ValueError) as failure:
        # Raised inside `import torch`, it comes wrapped.
        reason = failure.__cause__ or failure
        if not isinstance(reason, (starbridge_torch.NoPlugin, ValueError)):
            raise
        sys.exit(f"starbridge_torch: {reason}")
    if chosen.backend and backend != chosen.backend:
        sys.exit(f"starbridge_torch: torch_{chosen.backend} did not load" + (f"; torch_{backend} did" if backend else ""))
    if backend is None:
        print("starbridge_torch: no plug-in of another chip is installed; the program runs as it is", file=sys.stderr)
    elif not _has_entry_point():
        _announce()
    sys.argv = [chosen.program, *arguments]
    if chosen.module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(chosen.program, run_name="__main__", alter_sys=True)
        return
    if not os.path.exists(chosen.program):
        sys.exit(f"starbridge_torch: there is no file {chosen.program}")
    sys.path[0] = os.path.dirname(os.path.abspath(chosen.program))
    runpy.run_path(chosen.program, run_name="__main__")


if __name__ == "__main__":
    main()
