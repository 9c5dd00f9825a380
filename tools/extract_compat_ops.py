"""Parsers of vendor names, third-party operators and dtype evidence; part of tools/extract_compat."""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict

from extract_compat_parsers import DTYPES, HARDWARE, full_api_name, plain
from extract_compat_tables import Row

# -- names only torch_npu has ---------------------------------------------------------------------------------------------


def deprecated_names(listed: str, replaced: str) -> dict[str, str]:
    """Full name -> replacement (may be empty), from the plug-in's list of names and op-plugin's list with replacements."""
    names = {f"{module}.{name}": "" for module, members in json.loads(listed).items() for name in members}
    for name, advice in re.findall(r"- name: ([\w.]+)\n\s+replace: '([^']*)'", replaced):
        targets = ",".join(re.findall(r"torch(?:_npu)?\.[\w.]+", advice))
        names["torch_npu." + name.split(".")[0]] = targets
    return names


def vendor_names(schema: str, deprecated: dict[str, str]) -> list[Row]:
    rows = []
    for name in json.loads(schema):
        if not name.startswith("torch_npu."):
            continue
        is_old = name in deprecated
        rows.append(Row(name, "limited" if is_old else "native", vendor_name=deprecated.get(name, ""),
                        note="deprecated" if is_old else ""))
    listed = {row.name for row in rows}
    return rows + [Row(name, "limited", vendor_name=target, note="deprecated")
                   for name, target in deprecated.items() if name not in listed]


def private_apis(page: str) -> list[Row]:
    """Rows of the table of private APIs: supported or not, but for one hardware, and dtypes."""
    rows = []
    for name, answer, remark in re.findall(r"^\|\s*(torch[^|]+?)\s*\|([^|]*)\|([^|]*)\|", page, re.MULTILINE):
        missing = [code for needle, code in HARDWARE if "暂不支持" in answer and needle in answer.split("暂不支持", 1)[1]]
        found = re.match(r"支持((?:[a-z0-9]+[，,、]?)+)", remark.strip())
        words = re.split("[，,、]", found.group(1)) if found else []
        dtypes = ",".join(DTYPES[word] for word in words if word in DTYPES)
        has = "是" in answer.split("<br>")[0]
        hardware = ",".join(code for _, code in HARDWARE if code not in missing) if missing else ""
        api = full_api_name(plain(name))
        rows.append(Row(api, "native" if has else "unsupported", hardware=hardware, dtypes=dtypes))
        if missing:
            rows.append(Row(api, "unsupported", hardware=",".join(missing)))
    return rows


# -- tests of PyTorch that are switched off ---------------------------------------------------------------------------------

# Tests that run one operator and look at what it gives; others (out=, JIT, ONNX) say nothing about the operator itself.
RUNNING_TESTS = re.compile(
    r"^test_(?:reference_numerics(?:_(?:normal|small|large|hard|extremal)(?:_values)?)?|contig_size1(?:_large_dim)?|"
    r"contig_vs_(?:every_other|transposed)|non_contig(?:_index|_expand)?|batch_vs_slicing|ref_[a-z]+_values|"
    r"noncontiguous_(?:all|expanded|innermost|outermost|transposed)|compare_cpu|variant_consistency_eager|fn_grad|"
    r"fn_gradgrad)_(?!_refs)(\w+)_npu_((?:u?int|float|bfloat|complex|bool)\w*) ")
DISABLED_MIN = 3  # fewer are accidents of one test


def api_of_operator(name: str) -> str:
    for prefix, folder in (("nn_functional_", "nn.functional."), ("linalg_", "linalg."), ("fft_", "fft."),
                           ("special_", "special.")):
        if name.startswith(prefix):
            return "torch." + folder + name[len(prefix):]
    return "torch." + name


def upstream_disabled(texts: list[str], known: set[str]) -> list[Row]:
    """One row per known API: the dtypes for which at least DISABLED_MIN running tests of PyTorch are switched off."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for test in sorted({name for text in texts for name in json.loads(text)}):
        match = RUNNING_TESTS.match(test)
        if match and api_of_operator(match.group(1)) in known:
            for dtype in re.findall(r"bfloat16|bool|(?:uint|int|float|complex)\d+", match.group(2)):
                counts[api_of_operator(match.group(1))][dtype] += 1
    rows = []
    for name, by_dtype in counts.items():
        dtypes = sorted(dtype for dtype, count in by_dtype.items() if count >= DISABLED_MIN)
        if dtypes:
            rows.append(Row(name, "unknown", "2.7", "2.11", note="upstream_tests_disabled:" + ",".join(dtypes)))
    return rows


# -- torchvision, torchaudio, own operators of torch_mlu ---------------------------------------------------------------------

PUBLIC_OF = {"nms": "torchvision.ops.nms", "roi_align": "torchvision.ops.roi_align",
             "deform_conv2d": "torchvision.ops.deform_conv2d", "rnnt_loss": "torchaudio.functional.rnnt_loss"}
NAMESPACE_OF = {"vision": "torchvision", "audio": "torchaudio", "custom": "torch_mlu"}


def library_ops(texts: dict[str, str]) -> list[Row]:
    """Sections after `aten:` of mlu_functions.yaml; `texts` is by PyTorch version."""
    found: dict[str, list[str]] = defaultdict(list)
    for version, text in texts.items():
        for section, namespace in NAMESPACE_OF.items():
            body = text.split(f"\n{section}:", 1)[1] if f"\n{section}:" in text else ""
            body = re.split(r"\n\w+:", body)[0]
            for name in re.findall(r"- func: ([\w.]+)\(", body):
                found[f"{namespace}::{name}"].append(version)
                if name in PUBLIC_OF:
                    found[PUBLIC_OF[name]].append(version)
    return [Row(name, "native", versions[0], versions[-1]) for name, versions in found.items()]


# Operators of torchvision that users call; the rest of the plug-in's registrations is its own image processing.
VISION_OPS = ("nms", "roi_align", "roi_pool", "ps_roi_align", "ps_roi_pool", "deform_conv2d")


def npu_vision_ops(registrations: str) -> list[Row]:
    """Operators that torchvision_npu registers; they need that package beside torch_npu."""
    found = set(re.findall(r'SELECTIVE_NAME\("torchvision::(\w+)"\)', registrations)) & set(VISION_OPS)
    return [Row(prefix + name, "limited", "1.11", "2.6", note="needs_package:torchvision_npu")
            for name in found for prefix in ("torchvision::", "torchvision.ops.")]


# Titles of the table that are not the name of one exported symbol with other letters.
MMCV_SYMBOLS = {"Deformable Convolution v1/v2": ("DeformConv2d", "ModulatedDeformConv2d"),
                "Deformable RoIPool": ("DeformRoIPool", "ModulatedDeformRoIPool"),
                "Synchronized BatchNorm": ("SyncBatchNorm",), "MaskedConv": ("MaskedConv2d",),
                "MultiScaleDeformableAttn": ("MultiScaleDeformableAttention",), "AssignScoreWithK": ("assign_score_withk",),
                "Sparse Convolution": ("SparseConv2d", "SparseConv3d", "SubMConv2d", "SubMConv3d"),
                "FurthestPointSample": ("furthest_point_sample",), "GroupPoints": ("grouping_operation", "GroupAll"),
                "GatherPoints": ("gather_points",), "Iou3d": ("boxes_iou3d", "nms3d"), "TINShift": ("tin_shift", "TINShift"),
                "PointsInBoxes": ("points_in_boxes_all", "points_in_boxes_cpu", "points_in_boxes_part")}


def mmcv_column(page: str, exports: str, column: str) -> list[Row]:
    """Operators of mmcv.ops for one device column of the table, named as mmcv exports them."""
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in page.splitlines() if line.startswith("|")]
    index = lines[0].index(column)
    folded = defaultdict(list)
    for name in re.findall(r"'(\w+)'", exports.split("__all__", 1)[1]):
        folded[name.lower().replace("_", "")].append(name)
    rows = []
    for cells in lines[2:]:
        symbols = list(MMCV_SYMBOLS.get(cells[0], ())) or folded.get(cells[0].lower().replace("_", ""), []) or [cells[0]]
        status = "native" if cells[index] else "unsupported"
        rows += [Row("mmcv.ops." + symbol, status) for symbol in symbols]
    return rows


# -- dtypes --------------------------------------------------------------------------------------------------------------------

CNNL_TYPES = {"Float": "float32", "Half": "float16", "BFloat16": "bfloat16", "Double": "float64", "Int": "int32",
              "Long": "int64", "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool", "ComplexFloat": "complex64",
              "ComplexDouble": "complex128", "ComplexHalf": "complex32"}


def type_list(text: str) -> str:
    return ",".join(sorted({CNNL_TYPES[word] for word in re.findall(r"(?:\bk|ScalarType::)(\w+)", text) if word in CNNL_TYPES}))


def cnnl_types(text: str, known: set[str]) -> list[Row]:
    """Types the iterator of torch_mlu takes, by operator. float64 and int64 stand in its lists because they are computed in
    float32 and int32 (a remark of that file says so): the rows keep them and carry the code."""
    named = {name: type_list(body) for name, body in
             re.findall(r"static const std::vector<at::ScalarType>\s+(\w+)\(\s*\{([^}]*)\}", text)}
    found: dict[str, str] = {}
    lists = re.findall(r"#define (\w+)\(_\)\s*\\?\n((?:.*\\\n)*.*)", text)
    macros = re.findall(r"_\((\w+),\s*(\w+)", "\n".join(body for _, body in lists))
    for name, kind in macros:
        if kind in named:
            found[name] = named[kind]
    for name, kind, inline in re.findall(r"\nREGISTER_\w+\(\s*(\w+),\s*(?:(\w+)\s*,|std::vector<at::ScalarType>\(\s*\{([^}]*)\})",
                                         text):
        types = named.get(kind, "") if kind else type_list(inline)
        if types:
            found[name] = types
    rows = []
    for name, types in found.items():
        converted = [code for dtype, code in (("float64", "computed_as:float64>float32"), ("int64", "computed_as:int64>int32"))
                     if dtype in types.split(",")]
        if name in known:
            rows.append(Row("aten::" + name, "native", "2.1", "2.4", dtypes=types, note=",".join(converted)))
    return rows


def diopi_operators(functions: str) -> dict[str, set[str]]:
    """diopi function -> operators of PyTorch that DIPU sends to it."""
    found: dict[str, set[str]] = defaultdict(set)
    for block in re.split(r'\n- schema: "', "\n" + functions)[1:]:
        name = block.split("(", 1)[0].removeprefix("aten::")
        interface = re.search(r"\n  interface: \"?(diopi\w+)\(", block)
        if interface and name != "exampleop.overloadname":
            found[interface.group(1)].add(name)
    return found


def cross_vendor_rows(operators: dict[str, set[str]]) -> list[Row]:
    return [Row("aten::" + name, "unknown", note="cross_vendor_interface:" + interface)
            for interface, names in operators.items() for name in names]


def conversions(text: str) -> dict[str, str]:
    """diopi function -> "float64>float32,..." of convert_config.yaml; key "" is the default."""
    found: dict[str, str] = {}
    for block in re.split(r"\n- ", "\n" + text)[1:]:
        name = block.split(":", 1)[0]
        dtypes = re.search(r"\n    dtype: ([^\n]+)", block)
        if dtypes:
            pairs = [f"{source}>{target}" for group, target in re.findall(r"\(([\w, ]+)\)->(\w+)", dtypes.group(1))
                     for source in re.split(r",\s*", group)]
            found["" if name == "common_config" else name] = ",".join(sorted(pairs))
    return found


def diopi_rows(operators: dict[str, set[str]], implemented: set[str], config: str, status: str) -> list[Row]:
    """Operators a vendor implements below DIPU, with the dtypes it computes in another one."""
    table = conversions(config)
    rows = []
    for interface in implemented:
        converted = table.get(interface, table.get("", ""))
        notes = [f"computed_as:{pair}" for pair in converted.split(",") if pair] or ["implements:" + interface]
        if status == "unknown" and not converted:
            continue
        rows += [Row("aten::" + name, status, note=",".join(notes)) for name in operators.get(interface, ())]
    return rows


# -- tolerances of a vendor's tests --------------------------------------------------------------------------------------------

# name, backend, relative, absolute, relative of float16, absolute of float16, source
ToleranceRow = tuple[str, str, str, str, str, str, str]
TOLERANCE_COLUMNS = ("name", "backend", "relative", "absolute", "relative_half", "absolute_half", "source")
CLASSES_OF = {"batch_norm": ("torch.nn.BatchNorm1d", "torch.nn.BatchNorm2d", "torch.nn.BatchNorm3d"),
              "batch_norm_stats": ("torch.nn.SyncBatchNorm",), "layer_norm": ("torch.nn.LayerNorm",),
              "group_norm": ("torch.nn.GroupNorm",), "rms_norm": ("torch.nn.RMSNorm",), "linear": ("torch.nn.Linear",),
              "conv2d": ("torch.nn.Conv2d",), "gelu": ("torch.nn.GELU",), "interpolate": ("torch.nn.Upsample",),
              "nll_loss": ("torch.nn.NLLLoss",), "binary_cross_entropy": ("torch.nn.BCELoss",),
              "binary_cross_entropy_with_logits": ("torch.nn.BCEWithLogitsLoss",), "adadelta": ("torch.optim.Adadelta",),
              "linalgqr": ("torch.linalg.qr",)}
TOLERANCE_FIELDS = ("rtol", "atol", "rtol_half", "atol_half")


def test_tolerances(text: str, known: set[str], backend: str, source: str) -> list[ToleranceRow]:
    """Operators whose tests a vendor runs with wider limits than the common ones; of several cases the widest."""
    widest: dict[str, dict[str, float]] = defaultdict(dict)
    for statement in ast.parse(text).body:
        if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict)):
            continue
        for case in statement.value.values:
            words = {word.arg: word.value for word in case.keywords} if isinstance(case, ast.Call) else {}
            names = [item.value for item in words["name"].elts if isinstance(item, ast.Constant)] \
                if isinstance(words.get("name"), ast.List) else []
            for field in TOLERANCE_FIELDS:
                value = words.get(field)
                if isinstance(value, ast.Constant) and isinstance(value.value, (int, float)):
                    for name in names:
                        widest[name][field] = max(widest[name].get(field, 0.0), float(value.value))
    rows = []
    for name, limits in widest.items():
        apis = [api for api in ("torch.nn.functional." + name, "torch." + name, "torch.Tensor." + name) if api in known]
        apis = [api.replace("torch.Tensor.", "Tensor.") for api in apis] + list(CLASSES_OF.get(name, ()))
        cells = [f"{limits[field]:g}" if field in limits else "" for field in TOLERANCE_FIELDS]
        rows += [(api, backend, cells[0], cells[1], cells[2], cells[3], source) for api in apis]
    return rows


# -- dtypes a plug-in's tests run with -------------------------------------------------------------------------------------------

TORCH_DTYPES = {"float": "float32", "half": "float16", "double": "float64", "long": "int64", "int": "int32", "short": "int16"}
TORCH_DTYPES |= {name: name for name in ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
                                         "bool", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2")}


FLOAT_BY_DEFAULT = {"torch.randn", "torch.rand", "torch.zeros", "torch.ones", "torch.empty"}


def dotted(node: ast.AST) -> str:
    """"torch.nn.functional.mm" of an attribute chain; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return ""


class TestFile:
    """Which functions the tests of one file call and the dtypes written in those tests, in their decorators and in what these name."""

    def __init__(self, text: str) -> None:
        tree = ast.parse(text)
        self.named: dict[str, ast.AST] = {}
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                self.named[node.name] = node
            elif isinstance(node, ast.Assign):
                self.named |= {target.id: node.value for target in node.targets if isinstance(target, ast.Name)}
        self.tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]

    def dtypes(self, node: ast.AST, depth: int = 3) -> set[str]:
        found: set[str] = set()
        for child in ast.walk(node):
            path = dotted(child)
            if path.startswith("torch.") and path[6:] in TORCH_DTYPES:
                found.add(TORCH_DTYPES[path[6:]])
            is_float_by_default = isinstance(child, ast.Call) and dotted(child.func) in FLOAT_BY_DEFAULT
            if is_float_by_default and not any(word.arg == "dtype" for word in child.keywords):
                found.add("float32")
            is_name = isinstance(child, ast.Name) and child.id in self.named and self.named[child.id] is not node
            if is_name and depth > 0 and not child.id.startswith("test_"):
                found |= self.dtypes(self.named[child.id], depth - 1)
        return found

    def rows(self) -> dict[str, set[str]]:
        table: dict[str, set[str]] = defaultdict(set)
        for test in self.tests:
            functions = {dotted(word.value.func if isinstance(word.value, ast.Call) else word.value)
                         for call in ast.walk(test) if isinstance(call, ast.Call) for word in call.keywords if word.arg == "func"}
            for name in functions:
                if name.startswith("torch."):
                    table[name] |= self.dtypes(test)
        return table


def tested_dtypes(texts: list[str], known: set[str], version: str) -> list[Row]:
    table: dict[str, set[str]] = defaultdict(set)
    for text in texts:
        for name, dtypes in TestFile(text).rows().items():
            if name in known:
                table[name] |= dtypes
    return [Row(name, "native", version, version, dtypes=",".join(sorted(dtypes)), note="tested")
            for name, dtypes in table.items() if dtypes]
