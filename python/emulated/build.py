"""Compiles the emulated PyTorch device once into a cache folder and prints where it is.

Run with the Python that has PyTorch. The folder printed by --print-path goes on PYTHONPATH. Safe to run twice at once.
"""
from __future__ import annotations

import argparse
import concurrent.futures
import fcntl
import hashlib
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable

HERE = pathlib.Path(__file__).resolve().parent
HOOKS = HERE.parent / "hooks"
FLAGS = ["-std=c++20", "-O1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wno-interference-size", "-DUSE_C10D_GLOO",
         f"-ffile-prefix-map={HERE}=emulated"]
LIBRARIES = ["-ltorch_python", "-ltorch", "-ltorch_cpu", "-lc10"]
JOBS_MAX = 4


def torch_folder() -> pathlib.Path:
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise SystemExit("build.py: this Python has no torch; run it with the Python that tools/torch_venv made")
    return pathlib.Path(spec.origin).parent


def torch_version(folder: pathlib.Path) -> str:
    for line in (folder / "version.py").read_text().splitlines():
        if line.startswith("__version__"):
            return line.split("=")[1].strip().strip("'\"")
    raise SystemExit(f"build.py: {folder}/version.py names no version")


def digest(paths: list[pathlib.Path], extra: str) -> str:
    result = hashlib.sha256(extra.encode())
    for path in sorted(paths):
        if path.is_file() and "__pycache__" not in path.parts:
            result.update(os.path.relpath(path, HERE).encode() + b"\0" + path.read_bytes())
    return result.hexdigest()[:16]


def native_key(version: str) -> str:
    """Names the compiled part, so that a change of the Python part compiles nothing."""
    return f"native-torch-{version}-" + digest(list(HERE.glob("csrc/*")), f"{version} {sys.version} {FLAGS[:-1]}")


def package_key(version: str) -> str:
    paths = [*HERE.glob("packages/**/*"), *HOOKS.glob("*.py"), HERE / "build.py"]
    return f"torch-{version}-" + digest(paths, native_key(version))


def cache_root() -> pathlib.Path:
    return pathlib.Path(os.environ.get("STARBRIDGE_CACHE") or pathlib.Path.home() / ".cache/starbridge") / "emulated"


def say(text: str) -> None:
    print(f"emulated device: {text}", file=sys.stderr, flush=True)


def run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"build.py: {' '.join(command)}\n{done.stderr[-4000:]}")


def compile_extension(torch: pathlib.Path, objects: pathlib.Path, output: pathlib.Path) -> None:
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    if not compiler:
        raise SystemExit("build.py: no C++ compiler found; install g++ or set CXX")
    launcher = [shutil.which("ccache")] if shutil.which("ccache") else []
    includes = [f"-I{torch}/include", f"-I{torch}/include/torch/csrc/api/include", f"-I{sysconfig.get_paths()['include']}"]
    # Largest first, so that the last compiler to finish started early.
    files = sorted(HERE.glob("csrc/*.cpp"), key=lambda path: path.name not in ("bindings.cpp", "collective.cpp", "kernels.cpp"))

    def compile_one(source: pathlib.Path) -> None:
        run([*launcher, compiler, *FLAGS, *includes, "-c", str(source), "-o", str(objects / (source.stem + ".o"))])
        say(f"compiled {source.name}")

    with concurrent.futures.ThreadPoolExecutor(min(JOBS_MAX, os.cpu_count() or 1)) as pool:
        list(pool.map(compile_one, files))
    library = torch / "lib"
    run([compiler, "-shared", "-o", str(output), *(str(objects / (path.stem + ".o")) for path in files), f"-L{library}",
         *LIBRARIES, f"-Wl,-rpath,{library}"])


def write_entry_point(folder: pathlib.Path) -> None:
    """Lets `import torch` find the device, as the vendors' plug-ins do."""
    info = folder / "starbridge_emulated-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: starbridge_emulated\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[torch.backends]\nstarbridge_emulated = starbridge_emulated.autoload:load\n")


def build_native(work: pathlib.Path, torch: pathlib.Path) -> None:
    say("compiling (about a minute, once)")
    objects = work / "objects"
    objects.mkdir()
    compile_extension(torch, objects, work / "_C.so")
    shutil.rmtree(objects)


def build_package(work: pathlib.Path, native: pathlib.Path) -> None:
    for package in (HERE / "packages").iterdir():
        shutil.copytree(package, work / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    for module in HOOKS.glob("*.py"):
        shutil.copy2(module, work)
    shutil.copy2(native / "_C.so", work / "starbridge_emulated" / "_C.so")
    write_entry_point(work)


def make_once(target: pathlib.Path, build: Callable[[pathlib.Path], None]) -> pathlib.Path:
    """Builds beside the target and renames, so that a folder that exists is complete; one builder at a time."""
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target.with_name(target.name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.is_dir():
            return target
        started = time.monotonic()
        work = target.with_name(target.name + f".building-{os.getpid()}")
        work.mkdir()
        try:
            build(work)
            os.rename(work, target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        say(f"{target.name} ready in {time.monotonic() - started:.0f} s")
    return target


def ensure() -> pathlib.Path:
    torch = torch_folder()
    version = torch_version(torch)
    native = make_once(cache_root() / native_key(version), lambda work: build_native(work, torch))
    return make_once(cache_root() / package_key(version), lambda work: build_package(work, native))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--print-path", action="store_true", help="print the folder to put on PYTHONPATH")
    options = parser.parse_args()
    target = ensure()
    if options.print_path:
        print(target)


if __name__ == "__main__":
    main()
