"""Builds the emulated PyTorch device once and prints the folder for PYTHONPATH.

The result lies in the cache folder under a name made from the sources and the version of PyTorch, so that a second call finds it,
and two calls at once do not disturb each other.
"""

import argparse
import fcntl
import hashlib
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def cache_folder() -> Path:
    if os.environ.get("STARBRIDGE_CACHE"):
        return Path(os.environ["STARBRIDGE_CACHE"])
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "starbridge"


def torch_version() -> str:
    # Asked of the package's metadata: importing torch takes seconds.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("torch")
    except PackageNotFoundError:
        sys.exit("build.py: this Python has no torch; run it with the Python that tools/torch_venv prints")


def source_key() -> str:
    digest = hashlib.sha256(f"{torch_version()} {sys.version_info[:2]}".encode())
    for path in sorted([*(HERE / "csrc").iterdir(), *(HERE / "package").rglob("*.py"), Path(__file__)]):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def compile_extension(build: Path) -> Path:
    os.environ.setdefault("MAX_JOBS", str(os.cpu_count() or 2))
    os.environ["PATH"] = str(Path(sys.executable).parent) + os.pathsep + os.environ.get("PATH", "")  # ninja lies beside python
    os.environ.pop("STARBRIDGE_DEVICE_PROFILE", None)
    from torch.utils import cpp_extension

    sources = sorted(str(path) for path in (HERE / "csrc").glob("*.cpp"))
    cpp_extension.load("_starbridge_device", sources, build_directory=str(build), extra_cflags=["-O2", "-g0", "-Wno-unused"], is_python_module=False, verbose=False)
    return build / "_starbridge_device.so"


def assemble(target: Path) -> None:
    scratch = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.rmtree(scratch, ignore_errors=True)
    build = scratch / "build"
    build.mkdir(parents=True)
    library = compile_extension(build)
    site = scratch / "site"
    shutil.copytree(HERE / "package", site, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(library, site / "_starbridge_device.so")
    # The entry point by which torch loads a device plug-in of itself.
    info = site / "starbridge_device-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: starbridge-device\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[torch.backends]\nstarbridge_device = starbridge_device:autoload\n")
    shutil.rmtree(build)
    shutil.rmtree(target, ignore_errors=True)
    os.rename(scratch, target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--print-path", action="store_true", help="print the folder for PYTHONPATH")
    arguments = parser.parse_args()
    folder = cache_folder() / "emulated"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / source_key()
    if not (target / "site").is_dir():
        with open(folder / ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (target / "site").is_dir():
                print("building the emulated PyTorch device (about a minute, once)", file=sys.stderr)
                assemble(target)
    if arguments.print_path:
        print(target / "site")


if __name__ == "__main__":
    main()
