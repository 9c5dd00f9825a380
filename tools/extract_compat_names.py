"""torch.cuda attributes against the vendors' modules; part of tools/extract_compat."""

from __future__ import annotations

import ast
import json
import subprocess
from pathlib import Path

from extract_compat_tables import Repo, SourceRow

NameRow = tuple[str, str, str, str, str, str, str]  # name, backend, kind, status, target, note, source
SUBMODULES = ("amp", "comm", "gds", "graphs", "green_contexts", "jiterator", "memory", "nccl", "nvtx", "profiler", "random",
              "sparse", "streams", "tunable")
NPU_RENAMED = {"CUDAGraph": "NPUGraph", "CUDAPluggableAllocator": "NPUPluggableAllocator"}
MLU_RENAMED = {"CUDAGraph": "MLUGraph"}


def public_names(source: str) -> list[str]:
    """The strings of __all__."""
    for node in ast.parse(source).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id == "__all__":
            value = getattr(node, "value", None)
            return [str(element.value) for element in getattr(value, "elts", []) if isinstance(element, ast.Constant)]
    return []


def defined_names(source: str) -> set[str]:
    """Names bound at the top level of a module, stars not followed."""
    found: set[str] = set(public_names(source))
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


def cuda_names(torch: Path) -> list[str]:
    """Dotted names below torch.cuda that users may call."""
    names = [name for name in public_names((torch / "cuda/__init__.py").read_text(encoding="utf-8"))]
    for module in SUBMODULES:
        path = torch / f"cuda/{module}.py"
        if not path.exists():
            path = torch / f"cuda/{module}/__init__.py"
        names += [f"{module}.{name}" for name in public_names(path.read_text(encoding="utf-8"))]
    return sorted(set(names) - set(SUBMODULES))


def npu_names(repo: Repo) -> set[str]:
    found = defined_names(repo.read("HEAD", "torch_npu/npu/__init__.py"))
    for name in json.loads(repo.read("HEAD", "test/torch_npu_schema.json")):
        if name.startswith("torch_npu.npu."):
            found.add(name.removeprefix("torch_npu.npu."))
    for module in ("amp", "graphs", "memory", "random", "streams"):
        found |= {f"{module}.{name.split('.')[-1]}" for name in set(found) if name.startswith(module + ".")}
    return found


def mlu_names(repo: Repo, commit: str) -> set[str]:
    found = defined_names(repo.read(commit, "torch_mlu/mlu/__init__.py"))
    for module in ("device", "streams", "cncl", "autocast_utils", "memory", "random", "graphs", "cnpx"):
        try:
            inner = defined_names(repo.read(commit, f"torch_mlu/mlu/{module}.py"))
        except subprocess.CalledProcessError:  # the module is not in this branch
            continue
        found |= {f"{module}.{name}" for name in inner}
        found |= inner if module in ("device", "streams", "cncl", "autocast_utils", "memory", "random") else set()
    found |= {f"amp.{name}" for name in defined_names(repo.read(commit, "torch_mlu/mlu/amp/__init__.py"))}
    return found


def musa_names(repo: Repo) -> set[str]:
    found = defined_names(repo.read("HEAD", "torch_musa/__init__.py"))
    for module in ("device", "stream", "memory", "random", "amp/__init__", "_lazy_init", "module_attrs"):
        inner = defined_names(repo.read("HEAD", f"torch_musa/core/{module}.py"))
        found |= inner | {f"{module.split('/')[0].replace('stream', 'streams')}.{name}" for name in inner}
    return found


def rows_for(backend: str, names: list[str], have: set[str], renamed: dict[str, str], source: str,
             absent: str = "none") -> list[NameRow]:
    rows: list[NameRow] = []
    for name in names:
        last = renamed.get(name.split(".")[-1], name.split(".")[-1])
        target = ".".join([*name.split(".")[:-1], last])
        kind = "class" if last[:1].isupper() else "attribute"
        if target in have:
            status = "renamed" if target != name else "same"
            rows.append((f"torch.cuda.{name}", backend, kind, status, f"torch.{backend}.{target}", "", source))
        else:
            rows.append((f"torch.cuda.{name}", backend, kind, absent, "", "not_in_vendor_module", source))
    return rows


def attribute_rows(torch: Path, repos: dict[str, Repo]) -> list[NameRow]:
    names = cuda_names(torch)
    return (rows_for("npu", names, npu_names(repos["Ascend/pytorch"]), NPU_RENAMED, "npu-module")
            + rows_for("mlu", names, mlu_names(repos["Cambricon/torch_mlu"], "r2.4_develop"), MLU_RENAMED, "mlu-module")
            + rows_for("musa", names, musa_names(repos["MooreThreads/torch_musa"]), {}, "musa-module", "unknown"))


def write_names(path: Path, rows: list[NameRow]) -> int:
    body = "".join("\t".join(row) + "\n" for row in sorted(rows))
    path.write_text("name\tbackend\tkind\tstatus\ttarget\tnote\tsource\n" + body, encoding="utf-8")
    return len(rows)


def sources(repos: dict[str, Repo]) -> list[SourceRow]:
    npu, mlu, musa = repos["Ascend/pytorch"], repos["Cambricon/torch_mlu"], repos["MooreThreads/torch_musa"]
    return [
        SourceRow("npu-module", "-", "npu", 15, npu.date("HEAD"), "published", "BSD-3-Clause",
                  npu.ref("HEAD", "torch_npu/npu"), "Names of the module torch_npu.npu"),
        SourceRow("mlu-module", "-", "mlu", 15, mlu.date("r2.4_develop"), "published", "BSD-3-Clause",
                  mlu.ref("r2.4_develop", "torch_mlu/mlu"), "Names of the module torch_mlu.mlu"),
        SourceRow("musa-module", "-", "musa", 15, musa.date("HEAD"), "published", "BSD-3-Clause",
                  musa.ref("HEAD", "torch_musa/core"), "Names of the module torch_musa.core"),
    ]
