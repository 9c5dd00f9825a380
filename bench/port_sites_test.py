#!/usr/bin/env python3
"""Tests of bench/port_sites.py on a small tree of its own and ports of it written by hand."""

import contextlib
import io
import json
import random
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import port_sites
from port_sites_tokens import sites_of, tokens_of

SOURCE = '''"""Trains on cuda."""
import torch

model.cuda()  # to cuda
device = "cuda:0"
torch.cuda.synchronize()
print(f"on {torch.cuda.device_count()} cards", "no CUDA here")
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
use_cuda = x.is_cuda
'''
CELL = "%pip install cuda-python\nx = x.to('cuda')\n"


def judged(line, column, token, verdict, replacement="", path="train.py"):
    return "\t".join(("own/tree", "0" * 40, path, str(line), str(column), token, "1.00", verdict, replacement, "a reason"))


class PortSites(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        for name in ("trees", "ported"):
            (self.root / name / "tree").mkdir(parents=True)
        self.write("trees", "train.py", SOURCE)
        self.write("trees", "a.ipynb", self.notebook(CELL))
        self.write("ported", "a.ipynb", self.notebook(CELL))

    @staticmethod
    def notebook(code):
        return json.dumps({"cells": [{"cell_type": "markdown", "source": "cuda"}, {"cell_type": "code", "source": [code]}]})

    def write(self, side, name, text):
        (self.root / side / "tree" / name).write_text(text)

    def score(self, ported, *rows):
        self.write("ported", "train.py", ported)
        (self.root / "judged.tsv").write_text("# comment\n" + "\n".join(rows) + "\n")
        output = io.StringIO()
        read = port_sites.read_judged(self.root / "judged.tsv")
        with contextlib.redirect_stdout(output):
            code = port_sites.report(port_sites.judge_all(read, self.root / "trees", self.root / "ported"), True)
        return code, json.loads(output.getvalue())

    def counts(self, ported, *rows):
        return self.score(ported, *rows)[1]["total"]["counts"]

    def test_each_site_has_its_kind(self):
        found = {(site.path, site.line, site.column, site.token): site.kind for site in sites_of(self.root / "trees" / "tree")}
        self.assertEqual(found, {
            ("train.py", 1, 1, "cuda."): "docstring", ("train.py", 4, 7, "cuda"): "method", ("train.py", 4, 15, "cuda"): "comment",
            ("train.py", 5, 10, '"cuda:0"'): "device text", ("train.py", 6, 7, "cuda"): "module",
            ("train.py", 7, 7, "torch.cuda.device_count"): "f-string field", ("train.py", 7, 48, "CUDA"): "message",
            ("train.py", 8, 12, '"CUDA_VISIBLE_DEVICES"'): "variable text", ("train.py", 9, 1, "use_cuda"): "identifier",
            ("train.py", 9, 14, "is_cuda"): "attribute", ("a.ipynb#cell1", 2, 10, "'cuda'"): "device text"})

    def test_a_draw_is_repeated_and_counts_for_all_sites(self):
        sites = sites_of(self.root / "trees" / "tree")
        first, second = (port_sites.draw_project(sites, 8, random.Random(1)) for _ in range(2))
        self.assertEqual(first, second)
        self.assertEqual(len(first), 8)
        weights = Counter()
        for site, weight in first:
            weights[site.kind] += weight
        sizes = Counter(site.kind for site in sites)
        self.assertTrue(all(round(weight, 6) == sizes[kind] for kind, weight in weights.items()))

    def test_right_wrong_missed_and_not_counted(self):
        ported = SOURCE.replace("model.cuda()", "model.npu()").replace("to cuda", "to npu").replace('"cuda:0"', '"npu:1"')
        self.assertEqual(self.counts(
            ported, judged(4, 7, "cuda", "edit", "npu"), judged(4, 15, "cuda", "leave"), judged(5, 10, '"cuda:0"', "edit", '"npu:0"'),
            judged(6, 7, "cuda", "edit", "npu"), judged(9, 1, "use_cuda", "leave"), judged(1, 1, "cuda.", "either")),
            {"right edit": 1, "wrong edit": 1, "other edit": 1, "missed": 1, "right leave": 1, "not counted": 1})

    def test_inserted_lines_move_nothing_and_an_edit_in_a_long_text_is_found(self):
        ported = SOURCE.replace("import torch\n", "import torch\nimport torch_npu\n").replace("torch.cuda.device_count", "torch.npu.device_count")
        rows = [judged(7, 7, "torch.cuda.device_count", "edit", "torch.npu.device_count"), judged(7, 48, "CUDA", "leave"), judged(6, 7, "cuda", "leave")]
        self.assertEqual(self.counts(ported, *rows), {"right edit": 1, "right leave": 2})

    def test_a_cell_of_a_notebook(self):
        self.write("ported", "a.ipynb", self.notebook(CELL.replace("'cuda'", "'npu'")))
        self.assertEqual(self.counts(SOURCE, judged(2, 10, "'cuda'", "edit", "'npu'", "a.ipynb#cell1")), {"right edit": 1})

    def test_a_moved_site_is_told_and_a_missing_one_fails(self):
        code, answer = self.score(SOURCE, judged(3, 1, '"cuda:0"', "leave"))
        self.assertEqual((code, answer["disagreements"][0]["note"]), (0, "moved to line 5"))
        for gone in (judged(5, 10, '"cuda:7"', "leave"), judged(5, 10, '"cuda:0"', "leave", path="gone.py")):
            code, answer = self.score(SOURCE, gone)
            self.assertEqual((code, answer["total"]["counts"]), (1, {"missing": 1}))

    def test_a_bad_row_is_refused_with_its_line(self):
        for row in ("own/tree\tx", judged(5, 10, '"cuda:0"', "perhaps")):
            (self.root / "judged.tsv").write_text("# comment\n" + row + "\n")
            with self.assertRaises(SystemExit) as refused:
                port_sites.read_judged(self.root / "judged.tsv")
            self.assertIn("judged.tsv:2:", str(refused.exception))

    def test_a_fault_in_the_source_keeps_the_tokens_before_it(self):
        self.assertEqual([token.text for token in tokens_of("x = 'cuda'\ny = (\n")][:3], ["x", "=", "'cuda'"])


if __name__ == "__main__":
    unittest.main()
