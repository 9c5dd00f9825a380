#!/usr/bin/env python3
"""Tests of the parsers behind tools/extract_compat, on small texts in the shape of the sources."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import extract_compat_names as names
import extract_compat_parsers as parsers
from extract_compat_tables import Row, merge_versions, write_table

PAGE = """
### torch.cuda.foo

**原生文档**：[torch.cuda.foo](https://example.org/foo)

**NPU 形式名称**：torch_npu.npu.foo

| <term>Atlas A2 x</term> | ✔ |
| <term>Atlas A3 x</term> | ✔ |
| <term>Ascend 950DT</term> | ✘ |

**限制与说明**： `input`仅支持fp16，fp32，int64

</div>

> <font size="3">bar</font>

**原生文档**：[Tensor.bar\\_](https://example.org/bar)

| <term>Atlas A2 x</term> | ✘ |

</div>
"""

NATIVE = """
- func: add.Tensor(Tensor self, Tensor other) -> Tensor
  structured_delegate: add.out

- func: add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU, CUDA: add_out

- func: reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)

- func: view(Tensor(a) self, SymInt[] size) -> Tensor(a)
  dispatch:
    CPU, CUDA, Meta: view

- func: lonely(Tensor self) -> Tensor
  dispatch:
    CPU: lonely_cpu
    CUDA: lonely_cuda

- func: only_cuda(Tensor self) -> Tensor
  dispatch:
    CUDA: only_cuda

- func: made_of_others(Tensor self) -> Tensor
  dispatch:
    CPU: fast
    CompositeExplicitAutograd: slow

- func: mkldnn_thing(Tensor self) -> Tensor
  dispatch:
    CPU: x
"""

REGISTRY = """all_version: [v2.1, v2.2, v2.3]
official:
  - func: add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
    acl_op: all_version
    op_api: v2.3

  - func: late(Tensor self) -> Tensor
    op_api: [v2.2, newest]

  #- func: commented(Tensor self) -> Tensor
  #  op_api: all_version

autograd:
custom:
  - func: npu_own(Tensor self) -> Tensor
    acl_op: all_version
symint:
  - func: sym(Tensor self) -> Tensor
    op_api: v2.1, v2.2
quant:
"""


class Pages(unittest.TestCase):
    def rows(self) -> dict[tuple[str, str], Row]:
        return {(row.name, row.hardware): row for row in parsers.npu_documentation({"2.7": {"a": PAGE}, "2.8": {"a": PAGE}})}

    def test_ticks_become_rows_by_hardware(self) -> None:
        rows = self.rows()
        self.assertEqual(rows["torch.cuda.foo", "a2,a3"].status, "limited")  # no bfloat16
        self.assertEqual(rows["torch.cuda.foo", "950"].status, "unsupported")
        self.assertEqual(rows["torch.Tensor.bar_", "a2"].status, "unsupported")

    def test_equal_versions_are_merged(self) -> None:
        row = self.rows()["torch.cuda.foo", "a2,a3"]
        self.assertEqual((row.torch_min, row.torch_max), ("2.7", "2.8"))

    def test_dtypes_and_vendor_name_are_taken(self) -> None:
        row = self.rows()["torch.cuda.foo", "a2,a3"]
        self.assertEqual(row.dtypes, "float16,float32,int64")
        self.assertEqual(row.vendor_name, "torch_npu.npu.foo")

    def test_float32_alone_is_no_limit(self) -> None:
        self.assertEqual(parsers.limits_of("`input`仅支持fp32"), ("float32", "", False))

    def test_remarks_become_codes(self) -> None:
        self.assertEqual(parsers.limits_of("可能回退至CPU执行")[1], "may_run_on_cpu")
        self.assertEqual(parsers.limits_of("支持2-3维")[1], "dims_2_to_3")
        self.assertEqual(parsers.limits_of(""), ("", "", False))


class Registries(unittest.TestCase):
    def test_version_lists_and_intervals(self) -> None:
        registry = parsers.op_plugin_registry(REGISTRY)
        self.assertEqual(registry["add.out"], {"2.1", "2.2", "2.3"})
        self.assertEqual(registry["late"], {"2.2", "2.3"})
        self.assertEqual(registry["sym"], {"2.1", "2.2"})
        self.assertNotIn("npu_own", registry)
        self.assertNotIn("commented", registry)

    def test_ranges_split_at_gaps(self) -> None:
        self.assertEqual(parsers.span({"2.1", "2.2", "2.4"}, ["2.1", "2.2", "2.3", "2.4"]), [("2.1", "2.2"), ("2.4", "2.4")])
        self.assertEqual(parsers.span(set(), ["2.1"]), [])

    def test_only_operators_that_need_a_kernel_can_be_missing(self) -> None:
        aten = parsers.AtenOps(NATIVE)
        rows = parsers.missing_rows({"add.out": {"2.1"}}, set(), aten, ["2.1"])
        self.assertEqual([row.name for row in rows], ["aten::lonely"])

    def test_a_kernel_in_code_counts(self) -> None:
        found = parsers.registered_in_code('m.impl("lonely", TORCH_FN(f));\nm.impl(TORCH_SELECTIVE_NAME("aten::x.y"), g);')
        self.assertEqual(found, {"lonely", "x.y"})
        self.assertEqual(parsers.missing_rows({"add.out": {"2.1"}}, found, parsers.AtenOps(NATIVE), ["2.1"]), [])

    def test_the_functional_form_follows_its_out_form(self) -> None:
        rows = parsers.missing_rows({}, set(), parsers.AtenOps(NATIVE), ["2.1"])
        self.assertIn("aten::add.Tensor", [row.name for row in rows])


class Lists(unittest.TestCase):
    def test_migration_lists_keep_both_answers(self) -> None:
        rows = parsers.migration_lists({"2.1": ('{"op_list": {"torch.a": ""}}', '{"op_list": {"torch.b": ""}}'),
                                        "2.6": ('{"op_list": {"torch.a": "", "torch.b": ""}}', '{"op_list": {}}')})
        self.assertIn(Row("torch.a", "native", "2.1", "2.6", "a2"), rows)
        self.assertIn(Row("torch.b", "unsupported", "2.1", "2.1", "a2"), rows)
        self.assertIn(Row("torch.b", "native", "2.6", "2.6", "a2"), rows)

    def test_older_lists_speak_where_their_neighbours_do_not_agree_with_them(self) -> None:
        def lists(supported: str, unsupported: str) -> tuple[str, str]:
            return (json.dumps({"op_list": supported.split()}), json.dumps({"op_list": unsupported.split()}))

        rows = parsers.migration_history("2.3", lists("a b d", "c"), lists("a b", "c"), lists("a", "b c"))
        self.assertEqual(rows, [Row("b", "native", "2.3", "2.3", "a2"), Row("d", "native", "2.3", "2.3", "a2")])

    def test_disabled_tests_are_hints(self) -> None:
        rows = parsers.disabled_tests("foo:\n  test_compare_cpu:\n  - float32\n  - int8\nbar:\n  test_x:\n  - float32\n")
        self.assertEqual(rows, [Row("torch.foo", "unknown", note="cpu_comparison_disabled:float32,int8")])


class Names(unittest.TestCase):
    def test_absent_names_are_told_not_renamed(self) -> None:
        rows = names.rows_for("npu", ["a", "CUDAGraph", "gone"], {"a", "NPUGraph"}, {"CUDAGraph": "NPUGraph"}, "s")
        self.assertEqual([(row[0], row[3], row[4]) for row in rows],
                         [("torch.cuda.a", "same", "torch.npu.a"), ("torch.cuda.CUDAGraph", "renamed", "torch.npu.NPUGraph"),
                          ("torch.cuda.gone", "none", "")])

    def test_public_and_defined_names(self) -> None:
        source = "__all__ = ['f', 'g']\nfrom x import h as k\nclass C: pass\nv: int = 1\n"
        self.assertEqual(names.public_names(source), ["f", "g"])
        self.assertEqual(names.defined_names(source), {"f", "g", "k", "C", "v", "__all__"})
        self.assertEqual(names.public_names(""), [])


class Tables(unittest.TestCase):
    def test_rows_are_sorted_and_unique(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t.tsv"
            self.assertEqual(write_table(path, [Row("b", "native"), Row("a", "native"), Row("b", "native")]), 2)
            self.assertEqual([line.split("\t")[0] for line in path.read_text().splitlines()], ["name", "a", "b"])

    def test_versions_are_ordered_as_numbers(self) -> None:
        value = ("native", "", "", "")
        self.assertEqual(merge_versions({"2.10": value, "2.9": value}), [("2.9", "2.10", value)])


if __name__ == "__main__":
    unittest.main()
