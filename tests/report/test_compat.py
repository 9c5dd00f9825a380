"""Answers of `starbridge compat` as programs read them."""

import json
import os
import subprocess
import unittest
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/schemas/compat.json").read_text())


def compat(*arguments, stdin=""):
    done = subprocess.run([os.environ["STARBRIDGE_BIN"], "compat", *arguments, "--json"], capture_output=True, text=True, timeout=60,
                          input=stdin, env={**os.environ, "STARBRIDGE_ROOT": str(ROOT)})
    return done.returncode, json.loads(done.stdout)


class Answers(unittest.TestCase):
    def test_answers_for_a_chip_keep_their_schema(self):
        code, document = compat("torch.nn.GRU", "torch.cuda.Stream", "NCCL_DEBUG", "flash-attn", "torch.nowhere", "--to", "ascend-910b3")
        jsonschema.validate(document, SCHEMA)
        self.assertEqual(code, 1)
        self.assertEqual([answer["is_known"] for answer in document["names"]], [True, True, True, True, False])

    def test_answers_for_a_framework_keep_their_schema(self):
        for framework in ("mindspore", "paddle"):
            code, document = compat("torch.nn.GRU", "torch.nowhere", "--to", framework)
            jsonschema.validate(document, SCHEMA)
            self.assertEqual((code, document["framework"]), (1, framework))

    def test_every_documented_name_has_an_answer(self):
        """A list as long as the tables: all of it answered, each answer with its sources, in a few seconds."""
        rows = (ROOT / "data/compat/npu_docs.tsv").read_text().splitlines()[1:]
        names = sorted({row.split("\t")[0] for row in rows})
        _, document = compat("--from", "-", "--to", "ascend-910b3", stdin="\n".join(names))
        self.assertEqual([answer["name"] for answer in document["names"]], names)
        self.assertTrue(all(row["ref"] for answer in document["names"] for row in answer["evidence"]))


if __name__ == "__main__":
    unittest.main()
