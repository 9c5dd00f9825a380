"""Parsers of the sources of data/compat; part of tools/extract_compat. Each turns text into Rows."""

from __future__ import annotations

import json
import re
from collections import defaultdict

from extract_compat_tables import Row, merge_versions, version_key

# operator (without "aten::") -> PyTorch versions whose plug-in registers it
Registry = dict[str, set[str]]

DTYPES = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp64": "float64", "bool": "bool", "uint8": "uint8",
          "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64", "complex64": "complex64",
          "complex128": "complex128", "float16": "float16", "float32": "float32", "float64": "float64",
          "bfloat16": "bfloat16"}
# What a remark says, as a code. The remarks themselves are not copied.
LIMIT_CODES = (("可能回退至CPU", "may_run_on_cpu"), ("推理场景", "inference_only"), ("仅CPU支持", "cpu_only"),
               ("建议使用已适配的", "use_vendor_api"), ("allow_internal_format", "internal_format"),
               ("确定性", "determinism"), ("性能", "performance"), ("精度", "precision"))
HARDWARE = (("Atlas A2", "a2"), ("Atlas A3", "a3"), ("950", "950"))
NPU_FLAG_PAGES = {"deterministic": "deterministic_computing_apis.md", "graph_capable": "graph_supported_apis.md",
                  "inf_nan_differs": "appendixes/inf_nan_difference_apis.md", "dtensor": "dtensor_supported_apis.md"}


def plain(name: str) -> str:
    return name.replace("\\", "").strip("` ")


def full_api_name(link: str) -> str:
    name = plain(link)
    if name.startswith(("torch.", "torch_npu.")):
        return name
    return "torch." + name


# -- pages of torch_npu -----------------------------------------------------------------------------------------------

LINK = re.compile(r"\*\*原生文档\*\*[:：]\s*\[([^\]]+)\]")
VENDOR = re.compile(r"\*\*NPU 形式名称\*\*[:：]\s*(\S+)")
TICK = re.compile(r"<term>([^<]*)</term>\s*\|\s*([✔✘])")
LIMIT = re.compile(r"\*\*限制与说明\*\*[:：]")
DTYPE_LIST = re.compile(r"`(\w+)`仅支持((?:[a-z0-9]+[，,、]?)+)")
ONLY_SIXTEEN_BIT = {"bfloat16", "float16", "float32"}


def limits_of(text: str) -> tuple[str, str, bool]:
    """(dtypes, codes, is_limited) of a remark."""
    dtypes = ""
    match = DTYPE_LIST.search(text)
    if match:
        names = [DTYPES.get(word, "") for word in re.split("[，,、]", match.group(2)) if word]
        dtypes = ",".join(name for name in names if name)
    codes = [code for phrase, code in LIMIT_CODES if phrase in text]
    dims = re.search(r"支持(\d)-(\d)维", text)
    if dims:
        codes.append(f"dims_{dims.group(1)}_to_{dims.group(2)}")
    rest = DTYPE_LIST.sub("", text)
    if not codes and len(re.sub(r"[\s\-，。,.；;：:`]", "", rest)) > 12:
        codes.append("other_limit")
    allowed = set(dtypes.split(",")) if dtypes else set()
    # A list of float32 alone mostly tells what was tried, so it does not count as a limit.
    misses_common = bool(allowed) and allowed != {"float32"} and not ONLY_SIXTEEN_BIT <= allowed and bool(allowed & ONLY_SIXTEEN_BIT)
    return dtypes, ",".join(codes), misses_common or bool(set(codes) - {"performance", "use_vendor_api"})


def page_entries(text: str) -> list[tuple[str, str, dict[str, bool], str]]:
    """(name, vendor name, hardware -> supported, remark) of each API of a page, keyed by the link to the native page."""
    entries = []
    marks = list(LINK.finditer(text))
    for index, mark in enumerate(marks):
        end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
        block = text[mark.end():end].split("</div>")[0]
        ticks = {code: tick == "✔" for term, tick in TICK.findall(block) for needle, code in HARDWARE if needle in term}
        limit = LIMIT.search(block)
        vendor = VENDOR.search(block)
        if ticks:
            entries.append((full_api_name(mark.group(1)), plain(vendor.group(1)) if vendor else "", ticks,
                            block[limit.end():] if limit else ""))
    return entries


def npu_documentation(pages: dict[str, dict[str, str]]) -> list[Row]:
    # (name, hardware) -> version -> (status, dtypes, vendor, note)
    table: dict[tuple[str, str], dict[str, tuple[str, str, str, str]]] = defaultdict(dict)
    for version, texts in pages.items():
        for text in texts.values():
            for name, vendor, ticks, remark in page_entries(text):
                dtypes, codes, is_limited = limits_of(remark)
                for hardware, ticked in ticks.items():
                    status = ("limited" if is_limited else "native") if ticked else "unsupported"
                    table[name, hardware][version] = (status, dtypes, vendor, codes)
    merged: dict[tuple[str, str, str, tuple[str, str, str, str]], list[str]] = defaultdict(list)
    for (name, hardware), by_version in table.items():
        for low, high, value in merge_versions(by_version):
            merged[name, low, high, value].append(hardware)
    return [Row(name, status, low, high, ",".join(sorted(hardware)), dtypes, vendor, note)
            for (name, low, high, (status, dtypes, vendor, note)), hardware in merged.items()]


def npu_flags(pages: dict[str, str]) -> list[Row]:
    rows = []
    for flag, text in pages.items():
        for cell in re.findall(r"^\|\s*`?((?:torch|Tensor)[\w.\\]+)`?\s*\|", text, re.MULTILINE):
            status = "limited" if flag == "inf_nan_differs" else "unknown"
            rows.append(Row(full_api_name(cell), status, note=flag))
    return rows


# -- operator registries ------------------------------------------------------------------------------------------------

FUNC = re.compile(r"^\s*- func: *([\w.]+)", re.MULTILINE)
NAME_ITEM = re.compile(r"^\s*- (?:func: *)?([\w.]+)", re.MULTILINE)
ALL = "all_version"


def versions_of(text: str, known: list[str]) -> set[str]:
    text = text.split("#")[0].strip()
    if text == ALL:
        return set(known)
    interval = re.fullmatch(r"\[\s*v([\d.]+)\s*,\s*(?:v([\d.]+)|newest)\s*\]", text)
    if interval:
        low, high = version_key(interval.group(1)), version_key(interval.group(2) or known[-1])
        return {version for version in known if low <= version_key(version) <= high}
    return {version for version in re.findall(r"v([\d.]+)", text) if version in known}


def op_plugin_registry(text: str) -> Registry:
    known = re.findall(r"v([\d.]+)", text.split("\n", 1)[0])
    section = text.split("\nofficial:", 1)[1].split("\nautograd:", 1)[0]
    section += text.split("\nsymint:", 1)[1].split("\nquant:", 1)[0]
    registry: Registry = defaultdict(set)
    for block in re.split(r"\n  - func: ", section)[1:]:
        name = re.match(r"[\w.]+", block)
        assert name is not None, block[:40]
        for field in re.findall(r"\n    (?:acl_op|op_api|sparse): ([^\n]+)", block):
            registry[name.group(0)] |= versions_of(field, known)
    return {name: versions for name, versions in registry.items() if versions}


def add_native_registry(registry: Registry, text: str, version: str) -> None:
    supported = text.split("supported:", 1)[1].split("\ncustom:", 1)[0]
    for name in NAME_ITEM.findall(supported):
        registry.setdefault(name, set()).add(version)


def add_func_registry(registry: Registry, text: str, version: str) -> None:
    section = text.split("\naten:", 1)[1].split("\nvision:", 1)[0] if "\naten:" in text else text
    for name in FUNC.findall(section):
        registry.setdefault(name, set()).add(version)


def registered_in_code(text: str) -> set[str]:
    return {name.split("::")[-1] for name in re.findall(r'm\.impl\(\s*(?:TORCH_SELECTIVE_NAME\()?"([\w.:]+)"', text)}


def span(versions: set[str], known: list[str]) -> list[tuple[str, str]]:
    """Ranges of `known` versions (in order) held by `versions`."""
    ranges: list[tuple[str, str]] = []
    last = -2
    for index, version in enumerate(known):
        if version not in versions:
            continue
        if ranges and last == index - 1:
            ranges[-1] = (ranges[-1][0], version)
        else:
            ranges.append((version, version))
        last = index
    return ranges


def registry_rows(registry: Registry, known: list[str]) -> list[Row]:
    return [Row("aten::" + name, "native", first, last)
            for name, versions in registry.items() for first, last in span(versions, known)]


class AtenOps:
    """Dispatch facts of native_functions.yaml: which operators decompose and which need a kernel."""

    COMPOSITE = ("CompositeExplicitAutograd", "CompositeImplicitAutograd", "CompositeExplicitAutogradNonFunctional")

    def __init__(self, text: str) -> None:
        self.composite: set[str] = set()
        self.needs_kernel: set[str] = set()  # has a CPU kernel, no decomposition, is no view
        self.delegate: dict[str, str] = {}
        for block in re.split(r"\n- func: ", "\n" + text)[1:]:
            self._take(block)

    def _take(self, block: str) -> None:
        match = re.match(r"([\w.]+)\((.*)\) -> ([^\n]*)", block)
        if match is None:
            return
        name, returns = match.group(1), match.group(3)
        delegate = re.search(r"\n  structured_delegate: ([\w.]+)", block)
        keys = [key for line in re.findall(r"\n    ([A-Za-z0-9_, ]+): ", block.split("\n  dispatch:", 1)[1])
                for key in re.split(r",\s*", line)] if "\n  dispatch:" in block else []
        if delegate:
            self.delegate[name] = delegate.group(1)
        elif not keys or any(key in self.COMPOSITE for key in keys):
            self.composite.add(name)
        elif "CPU" in keys and not re.search(r"\(\w+\)", returns):
            self.needs_kernel.add(name)

    def composite_rows(self) -> list[Row]:
        return [Row("aten::" + name, "composite", note="decomposes") for name in self.composite] + [
            Row("aten::" + name, "composite", note="through_out:" + target) for name, target in self.delegate.items()]


# Operators that only make sense on the host or on one vendor's device; a fallback says nothing about them.
NOT_FOR_DEVICES = re.compile(r"^(_?mkldnn|_?cudnn|miopen|_?fbgemm|_?nnpack|quantiz|_?quantized|_?sparse|_?nested|qint|q_|"
                             r"_?fake_quantize|_?make_per|_?test_|_?pin_memory|_?weight_int|_dyn_quant|_compute_linear|"
                             r"_use_cudnn|_?choose_qparams|record_stream|_?copy_from|.*_sparse|_?coalesce|_?segment_reduce|"
                             r"resize_|_?local_scalar|_?to_cpu|_?spdiags|_?transformer|_?native_multi_head|rrelu_with_noise|"
                             r"_?validate|_?linalg_check|_cslt|_?jagged|_?padded_dense|_?scaled_mm|_?assert|_foobar|from_file|to_mkldnn|"
                             r"dequantize|_make_dep_token|.*_for_cpu|_empty_.*quantized|_?slow_conv|_functional_assert|_add_relu|"
                             r"_fused_moving_avg|_efficientzerotensor|sspaddmm|_convert_indices)")


def missing_rows(registry: Registry, in_code: set[str], aten: AtenOps, known: list[str]) -> list[Row]:
    rows = []
    wanted = set(aten.needs_kernel)
    wanted |= {name for name, target in aten.delegate.items() if target in aten.needs_kernel}
    for name in sorted(wanted):
        if NOT_FOR_DEVICES.match(name) or name in in_code or name.split(".")[0] in in_code:
            continue
        have = set(registry.get(name, set())) | set(registry.get(aten.delegate.get(name, ""), set()))
        for lowest, highest in span(set(known) - have, known):
            rows.append(Row("aten::" + name, "cpu_fallback", lowest, highest, note="no_kernel_registered"))
    return rows


def disabled_tests(text: str) -> list[Row]:
    rows = []
    for block in re.split(r"\n(?=\w)", text):
        name = block.split(":", 1)[0]
        found = re.search(r"\n  test_compare_cpu:\n((?:  - \w+\n?)+)", block)
        if found and not name.startswith("_refs"):
            dtypes = ",".join(sorted(re.findall(r"- (\w+)", found.group(1))))
            rows.append(Row("torch." + name, "unknown", note="cpu_comparison_disabled:" + dtypes))
    return rows


# -- lists of the migration tool -------------------------------------------------------------------------------------------

def migration_lists(lists: dict[str, tuple[str, str]]) -> list[Row]:
    table: dict[str, dict[str, tuple[str, str, str, str]]] = defaultdict(dict)
    for version, (supported, unsupported) in lists.items():
        for status, text in (("native", supported), ("unsupported", unsupported)):
            for name in json.loads(text)["op_list"]:
                table[name][version] = (status, "", "", "")
    return [Row(name, value[0], low, high, "a2") for name, by_version in table.items()
            for low, high, value in merge_versions(by_version)]


def migration_history(version: str, old: tuple[str, str], before: tuple[str, str], after: tuple[str, str]) -> list[Row]:
    """What lists of a version between two others say otherwise than both: the two stand for it already where all three agree."""
    def statuses(lists: tuple[str, str]) -> dict[str, str]:
        supported, unsupported = (json.loads(text)["op_list"] for text in lists)
        return {name: "native" for name in supported} | {name: "unsupported" for name in unsupported}

    low, high = statuses(before), statuses(after)
    return [Row(name, status, version, version, "a2") for name, status in statuses(old).items()
            if not status == low.get(name) == high.get(name)]


# -- CATCH ------------------------------------------------------------------------------------------------------------------

def catch_registry(text: str) -> list[Row]:
    return [Row("aten::" + name, "native", "", "1.9", "mlu370") for name in re.findall(r"schema_string: aten::([\w.]+)", text)]


def catch_documentation(operators: str, interfaces: str) -> list[Row]:
    rows = []
    for block in re.split(r"\n\.\. code::\n", operators)[1:]:
        signature = re.match(r"\s*(torch[\w.]+)\(", block)
        dtypes = re.search(r"支持的数据类型[：:]([^。；;\n]+)", block)
        if signature:
            words = re.split("[、，,]", dtypes.group(1)) if dtypes else []
            listed = ",".join(DTYPES[word.strip()] for word in words if word.strip() in DTYPES)
            rows.append(Row(signature.group(1), "limited" if listed else "native", "", "1.9", "mlu370", listed))
    for name, vendor, tick in re.findall(r"- ``(torch\.cuda[\w.]*)``\s*- ``([\w.]+)``\s*- ([是否])", interfaces):
        rows.append(Row(name, "native" if tick == "是" else "unsupported", "", "1.9", "mlu370", "",
                        vendor if tick == "是" else ""))
    return rows
