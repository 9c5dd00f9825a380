"""PyTorch extensions with kernels, built for an emulated card: what torch.utils.cpp_extension offers, answered by `starbridge kernel library`.

On the reference side the original sources (CUDA) are compiled for the emulated NVIDIA card, on the port's side those of the vendor's
plug-in for the emulated chip. A library is kept in a cache under a name made of everything that went into it.
"""
from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
from typing import Any, Iterable

from starbridge_hooks import after_import

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HEADERS = (".h", ".hpp", ".hh", ".cuh", ".inl", ".inc", ".mluh", ".cu", ".mlu", ".cpp", ".cc", ".c", ".tpp", ".impl")
HEADERS_MAX = 5000  # files of a source tree that go into a library's name
KEY_BYTES = 20


class BuildError(RuntimeError):
    """An extension that does not build for the card; the message has the place."""


def program() -> str:
    named = os.environ.get("STARBRIDGE_PROGRAM")
    candidates = [named] if named else [str(ROOT / "bin/starbridge"), *map(str, ROOT.glob("build/*/src/cli/starbridge"))]
    for candidate in candidates:
        if os.access(candidate, os.X_OK):
            return candidate
    raise BuildError("the starbridge program was not found; set STARBRIDGE_PROGRAM to its path")


def library_folder() -> pathlib.Path:
    """Where the emulated machines' runtimes and the compiler's pass are: lib/ of the build the program is from."""
    named = os.environ.get("STARBRIDGE_KERNEL_LIB")
    if named:
        return pathlib.Path(named)
    for folder in pathlib.Path(program()).resolve().parents:
        if (folder / "lib/libstarbridge_emulate_pass.so").exists():
            return folder / "lib"
    raise BuildError("the emulated cards are not built here; run tools/install kernel, then build again")


def torch_folder() -> pathlib.Path:
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise BuildError("this Python has no torch")
    return pathlib.Path(spec.origin).parent


class Options:
    """What of a compiler's command line matters here: folders, macros, the standard, fast arithmetic."""

    def __init__(self) -> None:
        self.includes: list[str] = []
        self.defines: list[str] = []
        self.standard = "c++20"
        self.is_fast = False

    def take(self, flags: Any) -> Options:
        if isinstance(flags, dict):
            for part in flags.values():
                self.take(part)
            return self
        words = [flags] if isinstance(flags, str) else list(flags or [])
        for index, word in enumerate(words):
            word = str(word)
            if word.startswith("-D"):
                self.defines.append(word[2:] or str(words[index + 1]))
            elif word.startswith("-I"):
                self.includes.append(word[2:] or str(words[index + 1]))
            elif word in ("--use_fast_math", "-use_fast_math"):
                self.is_fast = True
        # The name is given by what is built; the whole of Python's interface is read in front of each source.
        self.defines = [define for define in self.defines if not define.startswith(("TORCH_EXTENSION_NAME", "Py_LIMITED_API"))]
        return self


def has_card_kernels(texts: Iterable[str]) -> bool:
    return any(re.search(r"TORCH_LIBRARY_IMPL\s*\(\s*\w+\s*,\s*CUDA\s*,", text) for text in texts)


def digest(sources: list[str], words: list[str], machine: str) -> str:
    result = hashlib.sha256(json.dumps([words, machine, sys.version]).encode())
    folders = sorted({str(pathlib.Path(source).resolve().parent) for source in sources})
    folders += [word[2:] for word in words if word.startswith("-I") and not word[2:].startswith(str(torch_folder()))]
    count = 0
    seen: set[str] = set()
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.suffix not in HEADERS or str(path) in seen or not path.is_file() or "build" in path.relative_to(folder).parts:
                continue
            seen.add(str(path))
            count += 1
            if count > HEADERS_MAX:
                break
            result.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    for source in sources:
        result.update(source.rsplit("/", 1)[-1].encode() + b"\0" + pathlib.Path(source).read_bytes())
    # What compiles it: the pass and the headers that stand for the card's. The runtime is not part of the library.
    tools = [library_folder() / "libstarbridge_emulate_pass.so"]
    for folder in (ROOT / "src/emulate" / machine, ROOT / "src/emulate/common/include"):
        tools += [path for path in sorted(folder.rglob("*")) if "runtime" not in path.parts and path.is_file()]
    for tool in tools:
        if tool.is_file():
            result.update(tool.name.encode() + b"\0" + tool.read_bytes())
    return result.hexdigest()[:KEY_BYTES]


def cache_root() -> pathlib.Path:
    return pathlib.Path(os.environ.get("STARBRIDGE_CACHE") or pathlib.Path.home() / ".cache/starbridge") / "extensions"


def command(name: str, sources: list[str], machine: str, options: Options) -> list[str]:
    """Without the output."""
    torch = torch_folder()
    texts = [pathlib.Path(source).read_text(errors="replace") for source in sources]
    words: list[str] = [*sources, "--machine", machine, "--std", options.standard]
    if machine == "cuda":
        card = ROOT / "src/emulate/cuda/torch"
        words += [f"-I{card}", "--prelude", str(card / "starbridge/torch_card.h")]
        if has_card_kernels(texts):
            words.append("-DSB_TORCH_CARD_KERNELS=1")
        if any(re.search(r"#\s*include\s*<torch/(script|csrc/jit)", text) for text in texts):
            words.append("-DSB_TORCH_SCRIPT=1")
        words += ["-DWITH_CUDA=1"] if any("WITH_CUDA" in text for text in texts) else []
    else:
        words.append(f"-I{ROOT / 'src/emulate' / machine / 'torch'}")
    words += [f"-I{folder}" for folder in options.includes]
    words += [f"-D{define}" for define in options.defines]
    words += [f"-I{torch}/include", f"-I{torch}/include/torch/csrc/api/include", f"-I{sysconfig.get_paths()['include']}"]
    words += [f"-DTORCH_EXTENSION_NAME={name}", "-DTORCH_API_INCLUDE_EXTENSION_H=1"]
    if options.is_fast:
        words.append("--fast-math")
    if os.environ.get("SB_EMULATE_CHECK") == "1":
        words.append("--check")
    for word in (f"-L{torch}/lib", "-ltorch_python", "-ltorch", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{torch}/lib"):
        words.append(f"--link={word}")
    return words


def build(name: str, sources: list[str], output: str, machine: str, options: Options) -> str:
    """The library at `output` (NAME.so), from the cache when nothing changed."""
    sources = [str(pathlib.Path(source).resolve()) for source in sources]
    for source in sources:
        if not os.path.isfile(source):
            raise BuildError(f"{source}: there is no such source")
    short = name.rsplit(".", 1)[-1]
    words = command(short, sources, machine, options)
    kept = cache_root() / machine / f"{short}-{digest(sources, words, machine)}"
    kept.parent.mkdir(parents=True, exist_ok=True)
    stem = pathlib.Path(output).name
    with open(str(kept) + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (kept / "complete").exists():
            shutil.rmtree(kept, ignore_errors=True)
            print(f"starbridge: building {short} for the emulated {machine} card", file=sys.stderr, flush=True)
            done = subprocess.run([program(), "kernel", "library", *words, "-o", str(kept / f"{short}.so")], capture_output=True, text=True)
            if done.returncode != 0:
                raise BuildError(f"{short} does not build for the emulated {machine} card\n{done.stderr.strip()}")
            (kept / "complete").touch()
    pathlib.Path(output).parent.mkdir(parents=True, exist_ok=True)
    # The device half is found by its name, which is the short one wherever the library itself goes.
    for path in kept.glob("*.so"):
        shutil.copy2(path, pathlib.Path(output).parent / (stem if path.name == f"{short}.so" else path.name))
    return output


def device_half(name: str, library: str) -> str:
    return os.path.join(os.path.dirname(library), name.rsplit(".", 1)[-1] + ".device.so")


def make_setup_classes(machine: str) -> dict[str, Any]:
    from setuptools import Extension
    from setuptools.command.build_ext import build_ext
    from setuptools.errors import CompileError

    class BuildExtension(build_ext):
        """torch.utils.cpp_extension.BuildExtension for the emulated card."""

        @classmethod
        def with_options(cls, **_: Any) -> Any:
            return cls

        def build_extension(self, ext: Any) -> None:
            options = Options().take(getattr(ext, "extra_compile_args", None))
            options.includes += [str(folder) for folder in ext.include_dirs or []]
            for macro in ext.define_macros or []:
                options.defines.append(macro[0] if len(macro) == 1 or macro[1] is None else f"{macro[0]}={macro[1]}")
            # A source may be listed by its full path or by a pattern's answer; objects and libraries of others are not built here.
            try:
                build(ext.name, [str(source) for source in ext.sources], self.get_ext_fullpath(ext.name), machine, options)
            except BuildError as error:
                raise CompileError(str(error)) from None

        def copy_extensions_to_source(self) -> None:
            """In place: the device half lies beside the library there too."""
            super().copy_extensions_to_source()
            build_py = self.get_finalized_command("build_py")
            for ext in self.extensions:
                target, built = self._get_inplace_equivalent(build_py, ext)
                half = device_half(ext.name, built)
                if os.path.exists(half):
                    shutil.copy2(half, device_half(ext.name, target))

        def get_outputs(self) -> list[str]:
            outputs = super().get_outputs()
            halves = [device_half(ext.name, self.get_ext_fullpath(ext.name)) for ext in self.extensions]
            return [*outputs, *(path for path in halves if os.path.exists(path))]

    def extension(name: str, sources: list[Any], *arguments: Any, **keywords: Any) -> Any:
        for word in ("dlink", "dlink_libraries"):
            keywords.pop(word, None)
        keywords.setdefault("language", "c++")
        return Extension(name, [str(source) for source in sources], *arguments, **keywords)

    return {"BuildExtension": BuildExtension, "extension": extension}


def import_library(name: str, path: str, is_python_module: bool) -> Any:
    if not is_python_module:
        import torch

        torch.ops.load_library(path)
        return path
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_loaders(machine: str, suffix: str) -> dict[str, Any]:
    def folder_for(name: str, directory: Any) -> str:
        return str(directory) if directory else str(cache_root() / "loaded" / f"{machine}-{name}-{os.getuid()}-{hashlib.sha256(os.getcwd().encode()).hexdigest()[:8]}")

    def load(name: str, sources: Any, extra_cflags: Any = None, extra_cuda_cflags: Any = None, extra_sycl_cflags: Any = None, extra_ldflags: Any = None,
             extra_include_paths: Any = None, build_directory: Any = None, verbose: bool = False, with_cuda: Any = None, with_sycl: Any = None,
             is_python_module: bool = True, is_standalone: bool = False, keep_intermediates: bool = True) -> Any:
        options = Options().take(extra_cflags).take(extra_cuda_cflags)
        paths = [extra_include_paths] if isinstance(extra_include_paths, str) else extra_include_paths or []
        options.includes += [str(path) for path in paths]
        names = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
        path = build(name, [str(source) for source in names], os.path.join(folder_for(name, build_directory), name + ".so"), machine, options)
        return import_library(name, path, is_python_module)

    def load_inline(name: str, cpp_sources: Any, cuda_sources: Any = None, sycl_sources: Any = None, functions: Any = None, extra_cflags: Any = None,
                    extra_cuda_cflags: Any = None, extra_sycl_cflags: Any = None, extra_ldflags: Any = None, extra_include_paths: Any = None,
                    build_directory: Any = None, verbose: bool = False, with_cuda: Any = None, with_sycl: Any = None, is_python_module: bool = True,
                    with_pytorch_error_handling: bool = True, keep_intermediates: bool = True, use_pch: bool = False, no_implicit_headers: bool = False) -> Any:
        plain = [cpp_sources] if isinstance(cpp_sources, str) else list(cpp_sources or [])
        kernels = [cuda_sources] if isinstance(cuda_sources, str) else list(cuda_sources or [])
        folder = pathlib.Path(folder_for(name, build_directory))
        folder.mkdir(parents=True, exist_ok=True)
        headers = [] if no_implicit_headers else ["#include <torch/extension.h>"]
        if functions is not None:
            listed = {functions: functions} if isinstance(functions, str) else {f: f for f in functions} if not isinstance(functions, dict) else functions
            plain.append("PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n" + "".join(f'm.def("{f}", &{f}, {json.dumps(doc)});\n' for f, doc in listed.items()) + "}")
        files = []
        for at, content in (("main.cpp", headers + plain), ("cuda" + suffix, headers + ["#include <cuda.h>", "#include <cuda_runtime.h>"] + kernels if kernels else [])):
            if content:
                path = folder / at
                text = "\n".join(content)
                if not path.exists() or path.read_text() != text:
                    path.write_text(text)
                files.append(str(path))
        return load(name, files, extra_cflags, extra_cuda_cflags, None, None, extra_include_paths, str(folder), verbose, with_cuda, None, is_python_module)

    return {"load": load, "load_inline": load_inline}


def change(module: Any) -> None:
    """torch.utils.cpp_extension as a machine with CUDA's toolkit would have it."""
    classes = make_setup_classes("cuda")
    module.BuildExtension = classes["BuildExtension"]
    module.CUDAExtension = module.CppExtension = classes["extension"]
    for name, value in make_loaders("cuda", ".cu").items():
        setattr(module, name, value)
    include_paths = module.include_paths
    module.include_paths = lambda device_type="cpu", torch_include_dirs=True: include_paths("cpu", torch_include_dirs)
    module.library_paths = lambda *_, **__: [str(torch_folder() / "lib")]
    module.CUDA_HOME = os.environ.get("CUDA_HOME") or "/usr/local/cuda"


def install() -> None:
    """For the reference run: arranges that extensions are built for the emulated NVIDIA card."""
    after_import("torch.utils.cpp_extension", change)
