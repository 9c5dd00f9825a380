"""torch names in MindSpore and Paddle, and versions that go together; part of tools/extract_compat."""

from __future__ import annotations

import json
import re
from pathlib import Path

FrameworkRow = tuple[str, str, str, str, str, str]  # name, framework, status, target, note, source
PairRow = tuple[str, str, str, str, str, str]  # package, version, needs, needs_version, backend, source

FRAMEWORK_COLUMNS = ("name", "framework", "status", "target", "note", "source")
PAIR_COLUMNS = ("package", "version", "needs", "needs_version", "backend", "source")

# Remarks of the page of MindSpore, as codes. What matches none is "differs".
MINDSPORE_CODES = (("默认值不同", "default_differs"), ("参数名不", "argument_names"), ("不含参数", "argument_missing"),
                   ("多一些优化参数", "optimisation_arguments_missing"), ("重载", "overloads"), ("参数列表", "argument_list"),
                   ("两个参数", "extra_arguments"), ("多参数", "extra_arguments"))


def mindspore_rows(page: str, source: str) -> list[FrameworkRow]:
    """Rows "[torch name](..) | [mindspore name](..) | remark" of the API mapping table."""
    rows = []
    for line in page.splitlines():
        cells = [cell.strip() for cell in re.sub(r"\]\([^)]*\)", "]", line).strip().strip("|").split("|")]
        if len(cells) < 3 or not re.match(r"\[torch", cells[0]):
            continue
        name = re.sub(r"\\", "", cells[0].strip("[]` "))
        target = re.sub(r"\\", "", cells[1].strip("[]` "))
        if not re.fullmatch(r"[\w.]+", name) or not re.fullmatch(r"(?:mindspore|mindformers)[\w.]*", target):
            continue
        remark = " ".join(cells[2:])
        if "一致" in remark and "功能一致，" not in remark and "不一致" not in remark:
            rows.append((name, "mindspore", "same", target, "", source))
            continue
        codes = sorted({code for phrase, code in MINDSPORE_CODES if phrase in remark})
        arguments = re.findall(r"参数(\w+)默认值不同|不含参数(\w+)", remark)
        named = [word for pair in arguments for word in pair if word]
        note = ",".join(codes) or "differs"
        if named:
            note += ":" + "+".join(named)
        rows.append((name, "mindspore", "changed", target, note, source))
    return rows


# Matchers of PaConvert that put another name and nothing else.
PLAIN_MATCHERS = {"ChangePrefixMatcher", "ChangeAPIMatcher"}


def paddle_target(name: str, entry: dict[str, object]) -> str:
    target = entry.get("paddle_api")
    if isinstance(target, str):
        return target
    if entry.get("Matcher") == "ChangePrefixMatcher" and name.startswith("torch."):
        return "paddle." + name.removeprefix("torch.")
    return ""


def paddle_note(entry: dict[str, object]) -> str:
    notes = []
    changes = entry.get("kwargs_change")
    if isinstance(changes, dict):
        renamed = [f"{old}>{new}" for old, new in sorted(changes.items()) if isinstance(new, str) and new and new != old]
        dropped = [old for old, new in sorted(changes.items()) if new == ""]
        notes += ["argument_names:" + "+".join(renamed)] if renamed else []
        notes += ["argument_dropped:" + "+".join(dropped)] if dropped else []
    missing = entry.get("unsupport_args")
    if isinstance(missing, list) and missing:
        notes.append("argument_missing:" + "+".join(sorted(str(name) for name in missing)))
    return ",".join(notes)


def paddle_rows(mapping: str, aliases: str, source: str) -> list[FrameworkRow]:
    table = json.loads(mapping)
    rows = []
    names = {name: name for name in table} | {alias: name for alias, name in json.loads(aliases).items() if name in table}
    for name, owner in names.items():
        entry = table[owner]
        if not name.startswith("torch."):
            continue
        target, note, matcher = paddle_target(owner, entry), paddle_note(entry), entry.get("Matcher", "")
        if not matcher:
            rows.append((name, "paddle", "none", "", "no_rule", source))
        elif matcher in PLAIN_MATCHERS and target and not note:
            same = target == "paddle." + name.removeprefix("torch.")
            rows.append((name, "paddle", "same" if same else "renamed", target, "", source))
        elif target:
            rows.append((name, "paddle", "changed", target, note or "rewritten_call", source))
        else:
            rows.append((name, "paddle", "changed", "", note or "written_out", source))
    return rows


# -- versions ---------------------------------------------------------------------------------------------------------------

VLLM_COLUMNS = ("vllm-ascend", "vllm", "python", "cann", "torch", "triton-ascend")


def plain_version(text: str) -> str:
    return text.strip().removeprefix("v")


def vllm_ascend_pairs(page: str, source: str) -> list[PairRow]:
    """The release compatibility matrix: one release of vllm-ascend with everything it needs."""
    rows = []
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) < 6 or not re.fullmatch(r"v[\d.]+\w*(?:\.post\d+)?", cells[0]):
            continue
        version = plain_version(cells[0])
        torch, _, plugin = (part.strip() for part in cells[4].partition("/"))
        # Development builds are not to be had from an index.
        plugin = "" if "dev" in plugin else plugin.split("+")[0]
        needs = {"vllm": plain_version(cells[1].split("/")[0]), "python": cells[2].replace(" ", ""), "cann": cells[3],
                 "torch": torch, "torch-npu": plugin, "triton-ascend": cells[5]}
        rows += [("vllm-ascend", version, need, wanted, "npu", source) for need, wanted in needs.items()
                 if wanted and "N/A" not in wanted and "dev" not in wanted]
    return rows


def torchvision_pairs(page: str, source: str) -> list[PairRow]:
    """Rows `torch` | `torchvision` | Python of the README of torchvision; the newest, unreleased one is "main"."""
    rows = []
    for torch, vision, python in re.findall(r"^\|\s*`([\d.]+)`\s*\|\s*`([\d.]+)`\s*\|([^|]*)\|", page, re.MULTILINE):
        rows.append(("torchvision", vision, "torch", torch, "*", source))
        bounds = re.findall(r"([<>]=?)`?,?\s*`?([\d.]+)", python.replace("&lt;", "<").replace("&gt;", ">"))
        if bounds:
            rows.append(("torchvision", vision, "python", ",".join(sign + bound for sign, bound in bounds), "*", source))
    return rows


def torchvision_npu_pairs(page: str, source: str) -> list[PairRow]:
    """Rows branch | tag | PyTorch | torch_npu | torchvision | driver | CANN of the README of the adapter."""
    rows = []
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 7 and re.fullmatch(r"v[\d.]+-[\d.]+(?:rc\d+)?", cells[1]):
            needs = {"torch": cells[2], "torch-npu": cells[3], "torchvision": cells[4], "cann": cells[6].removeprefix("CANN ")}
            rows += [("torchvision-npu", cells[1].removeprefix("v"), need, wanted, "npu", source) for need, wanted in needs.items()]
    return rows


def write_rows(path: Path, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> int:
    lines = sorted(set(rows))
    for cells in lines:
        assert len(cells) == len(columns) and not any("\t" in cell or "\n" in cell for cell in cells), cells
    path.write_text("\t".join(columns) + "\n" + "".join("\t".join(cells) + "\n" for cells in lines), encoding="utf-8")
    return len(lines)
