#!/usr/bin/env python3
"""Tests of the parsers of vendor names, third-party operators, dtypes, other frameworks and versions, on small texts."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import extract_compat_frameworks as frameworks
import extract_compat_ops as ops
from extract_compat_tables import Row

CNNL = """
static const std::vector<at::ScalarType> f_h_types(
    {at::kFloat, at::kHalf, at::kDouble});
#define SOFT_OP_REGISTER(_) \\
  _(clamp, f_h_types, true, false) \\
  _(unheard_of, f_h_types, true, false)

REGISTER_PARAMS_WITHOUT_MIXED_INPUT(
    abs,
    std::vector<at::ScalarType>(
        {at::kHalf,
         at::kComplexFloat}),
    false)
"""
DIPU = """
- schema: "aten::softmax.int(Tensor self) -> Tensor"
  interface: diopiSoftmax(ctx, out, self)

- schema: "add_.Scalar(Tensor(a!) self) -> Tensor(a!)"
  interface: diopiAddInp(ctx, self)
"""
CONVERT = """- common_config:
    dtype: (int64)->int32

- diopiSoftmax:
    dtype: (float64,float16)->float32
    layout: ND
"""


class VendorNames(unittest.TestCase):
    def test_deprecated_names_carry_their_successor_even_when_the_schema_dropped_them(self) -> None:
        old = ops.deprecated_names('{"torch_npu": ["npu_pad", "npu_gone"]}',
                                   "deprecated:\n  - name: npu_pad.out\n    replace: 'torch.nn.functional.pad or torch.pad'\n")
        rows = ops.vendor_names('{"torch_npu.npu_pad": {}, "torch_npu.npu_new": {}, "other.x": {}}', old)
        self.assertEqual(rows, [Row("torch_npu.npu_pad", "limited", vendor_name="torch.nn.functional.pad,torch.pad", note="deprecated"),
                                Row("torch_npu.npu_new", "native"), Row("torch_npu.npu_gone", "limited", note="deprecated")])

    def test_private_api_missing_on_one_hardware_makes_two_rows(self) -> None:
        page = "|torch.\\_foreach\\_pow\\_|是<br>暂不支持<term>Ascend 950DT</term>|支持bf16，int32|\n|torch.b|否|x|\n"
        self.assertEqual(ops.private_apis(page), [
            Row("torch._foreach_pow_", "native", hardware="a2,a3", dtypes="bfloat16,int32"),
            Row("torch._foreach_pow_", "unsupported", hardware="950"), Row("torch.b", "unsupported")])


class DisabledTests(unittest.TestCase):
    def test_counts_running_tests_by_dtype_and_leaves_accidents_out(self) -> None:
        names = [f"test_{kind}_linalg_qr_npu_float64 (__main__.TestX)" for kind in ("fn_grad", "fn_gradgrad", "compare_cpu")]
        names += ["test_fn_grad_linalg_qr_npu_bool (__main__.TestX)", "test_fn_grad__refs_abs_npu_float64 (__main__.TestX)",
                  "test_out_linalg_qr_npu_int8 (__main__.TestX)"]
        rows = ops.upstream_disabled([json.dumps({name: [] for name in names})], {"torch.linalg.qr", "torch.abs"})
        self.assertEqual(rows, [Row("torch.linalg.qr", "unknown", "2.7", "2.11", note="upstream_tests_disabled:float64")])

    def test_unknown_operators_are_left_out(self) -> None:
        text = json.dumps({f"test_{kind}_nope_npu_bool (X)": [] for kind in ("fn_grad", "fn_gradgrad", "compare_cpu")})
        self.assertEqual(ops.upstream_disabled([text], {"torch.abs"}), [])


class LibraryOperators(unittest.TestCase):
    def test_sections_after_aten_get_their_namespaces_and_public_names(self) -> None:
        text = "aten:\n  - func: abs(Tensor self) -> Tensor\n\nvision:\n  - func: nms(Tensor d) -> Tensor\n\ncustom:\n  - func: dump(Tensor x) -> bool\n"
        names = {(row.name, row.torch_min, row.torch_max) for row in ops.library_ops({"2.1": text, "2.4": text})}
        self.assertEqual(names, {("torchvision::nms", "2.1", "2.4"), ("torchvision.ops.nms", "2.1", "2.4"),
                                 ("torch_mlu::dump", "2.1", "2.4")})

    def test_only_operators_of_torchvision_count_for_the_vision_plugin(self) -> None:
        rows = ops.npu_vision_ops('m.impl(TORCH_SELECTIVE_NAME("torchvision::nms"), x); TORCH_SELECTIVE_NAME("torchvision::kp_x")')
        self.assertEqual({row.name for row in rows}, {"torchvision::nms", "torchvision.ops.nms"})
        self.assertTrue(all(row.note == "needs_package:torchvision_npu" for row in rows))

    def test_mmcv_titles_become_the_exported_symbols(self) -> None:
        page = ("| Device | CPU | MLU |\n| --- | --- | --- |\n| RoIAlign | √ | √ |\n| NMS | √ | |\n"
                "| Deformable Convolution v1/v2 | | √ |\n")
        rows = ops.mmcv_column(page, "__all__ = ['RoIAlign', 'roi_align', 'nms']", "MLU")
        self.assertEqual([(row.name, row.status) for row in rows], [
            ("mmcv.ops.RoIAlign", "native"), ("mmcv.ops.roi_align", "native"), ("mmcv.ops.nms", "unsupported"),
            ("mmcv.ops.DeformConv2d", "native"), ("mmcv.ops.ModulatedDeformConv2d", "native")])


class Dtypes(unittest.TestCase):
    def test_types_of_the_iterator_by_named_and_by_written_list(self) -> None:
        rows = {row.name: row for row in ops.cnnl_types(CNNL, {"clamp", "abs"})}
        self.assertEqual(set(rows), {"aten::clamp", "aten::abs"})
        self.assertEqual(rows["aten::clamp"].dtypes, "float16,float32,float64")
        self.assertEqual(rows["aten::clamp"].note, "computed_as:float64>float32")
        self.assertEqual((rows["aten::abs"].dtypes, rows["aten::abs"].note), ("complex64,float16", ""))

    def test_conversions_of_one_function_win_over_the_default(self) -> None:
        operators = ops.diopi_operators(DIPU)
        rows = ops.diopi_rows(operators, {"diopiSoftmax", "diopiAddInp", "diopiOther"}, CONVERT, "unknown")
        self.assertEqual({row.name: row.note for row in rows}, {
            "aten::softmax.int": "computed_as:float16>float32,computed_as:float64>float32",
            "aten::add_.Scalar": "computed_as:int64>int32"})

    def test_an_implementation_without_conversion_speaks_only_where_nothing_else_does(self) -> None:
        operators = ops.diopi_operators(DIPU)
        self.assertEqual(ops.diopi_rows(operators, {"diopiAddInp"}, "", "unknown"), [])
        self.assertEqual(ops.diopi_rows(operators, {"diopiAddInp"}, "", "native"),
                         [Row("aten::add_.Scalar", "native", note="implements:diopiAddInp")])


class Tolerances(unittest.TestCase):
    def test_the_widest_case_counts_and_every_spelling_gets_it(self) -> None:
        text = ("device_configs = {'a': dict(name=['layer_norm'], atol=1e-3), 'b': dict(name=['layer_norm'], atol=1e-2, rtol=0.5),\n"
                "'c': dict(name=['nowhere'], atol=1), 'd': dict(name=['mm'], tensor_para=dict()), 'e': dict(atol=1)}\n")
        rows = ops.test_tolerances(text, {"torch.nn.functional.layer_norm", "torch.mm"}, "npu", "s")
        self.assertEqual(rows, [("torch.nn.functional.layer_norm", "npu", "0.5", "0.01", "", "", "s"),
                                ("torch.nn.LayerNorm", "npu", "0.5", "0.01", "", "", "s")])


class TestedDtypes(unittest.TestCase):
    def test_dtypes_come_from_the_test_its_decorators_and_what_they_name(self) -> None:
        text = ("def get():\n    return [torch.half]\nTYPES = [torch.int8]\n"
                "@pytest.mark.parametrize('dtype', get() + TYPES)\n"
                "def test_mm(dtype):\n    x = torch.randn(2, dtype=torch.bfloat16)\n    OpTest(func=torch.mm, input_args=x)\n"
                "def test_conv():\n    OpTest(func=torch.nn.Conv1d(3), a=torch.randn(2, 3))\n"
                "def test_other():\n    OpTest(func=run, a=torch.float64)\n")
        rows = {row.name: row.dtypes for row in ops.tested_dtypes([text], {"torch.mm", "torch.nn.Conv1d"}, "2.7")}
        self.assertEqual(rows, {"torch.mm": "bfloat16,float16,int8", "torch.nn.Conv1d": "float32"})

    def test_functions_nobody_knows_and_tests_without_dtypes_are_left_out(self) -> None:
        text = "def test_a():\n    OpTest(func=torch.mm)\ndef test_b():\n    OpTest(func=torch.private, d=torch.float32)\n"
        self.assertEqual(ops.tested_dtypes([text], {"torch.mm"}, "2.7"), [])


class Frameworks(unittest.TestCase):
    def test_mindspore_remarks_become_codes(self) -> None:
        page = ("| [torch.abs](u) | [mindspore.mint.abs](u) | [一致](u) |\n"
                "| [torch.amax](u) | [mindspore.mint.amax](u) | 功能一致，参数dim默认值不同 |\n"
                "| [torch.nn.GRU](u) | [mindspore.nn.GRU](u) | [差异对比](u) |\n| out | 输出 | 说明 |\n")
        self.assertEqual(frameworks.mindspore_rows(page, "s"), [
            ("torch.abs", "mindspore", "same", "mindspore.mint.abs", "", "s"),
            ("torch.amax", "mindspore", "changed", "mindspore.mint.amax", "default_differs:dim", "s"),
            ("torch.nn.GRU", "mindspore", "changed", "mindspore.nn.GRU", "differs", "s")])

    def test_paddle_rows_tell_same_renamed_changed_and_none_apart(self) -> None:
        mapping = json.dumps({
            "torch.add": {"Matcher": "ChangePrefixMatcher"}, "torch.a": {"Matcher": "ChangeAPIMatcher", "paddle_api": "paddle.b"},
            "torch.svd": {"Matcher": "SvdMatcher", "paddle_api": "paddle.linalg.svd", "kwargs_change": {"input": "x", "out": ""},
                          "unsupport_args": ["compute_uv"]},
            "torch.cuda.nvtx": {}, "flash_attn.f": {"Matcher": "ChangePrefixMatcher"}})
        rows = {row[0]: row[2:5] for row in frameworks.paddle_rows(mapping, '{"torch.plus": "torch.add"}', "s")}
        self.assertEqual(rows, {
            "torch.add": ("same", "paddle.add", ""), "torch.a": ("renamed", "paddle.b", ""),
            "torch.plus": ("renamed", "paddle.add", ""), "torch.cuda.nvtx": ("none", "", "no_rule"),
            "torch.svd": ("changed", "paddle.linalg.svd",
                          "argument_names:input>x,argument_dropped:out,argument_missing:compute_uv")})


class Versions(unittest.TestCase):
    def test_vllm_ascend_rows_without_development_builds(self) -> None:
        page = ("| v0.18.0 | v0.18.0 | >= 3.10, < 3.12 | 8.5.1 | 2.9.0 / 2.9.0.post1+git4c901a4 | 3.2.0.dev1 | N/A |\n"
                "| main | {{x}} | {{y}} | {{z}} | {{a}} | {{b}} |\n")
        pairs = {(row[2], row[3]) for row in frameworks.vllm_ascend_pairs(page, "s")}
        self.assertEqual(pairs, {("vllm", "0.18.0"), ("python", ">=3.10,<3.12"), ("cann", "8.5.1"), ("torch", "2.9.0"),
                                 ("torch-npu", "2.9.0.post1")})

    def test_torchvision_rows_carry_torch_and_python(self) -> None:
        page = "| `main` / `nightly` | `main` | `>=3.10` |\n| `2.7` | `0.22` | `>=3.9`, `<=3.13` |\n"
        self.assertEqual(frameworks.torchvision_pairs(page, "s"), [
            ("torchvision", "0.22", "torch", "2.7", "*", "s"), ("torchvision", "0.22", "python", ">=3.9,<=3.13", "*", "s")])

    def test_adapter_rows_need_torch_plugin_vision_and_cann(self) -> None:
        page = "| v0.21.0-dev | v0.21.0-7.1.0 | 2.6.0 | 2.6.0 | 0.21.0 | HDK 25 | CANN 8.2.RC1 |\n"
        self.assertEqual({row[1:4] for row in frameworks.torchvision_npu_pairs(page, "s")}, {
            ("0.21.0-7.1.0", "torch", "2.6.0"), ("0.21.0-7.1.0", "torch-npu", "2.6.0"), ("0.21.0-7.1.0", "torchvision", "0.21.0"),
            ("0.21.0-7.1.0", "cann", "8.2.RC1")})


if __name__ == "__main__":
    unittest.main()
