#!/usr/bin/env python3
"""Modelled times: those of timed.mlu by hand, and what kernel explain says of own programs, in both languages."""
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

BIN = os.environ["STARBRIDGE_BIN"]
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHIP = "mlu370-x8"


def costs():
    rows = [line.split("\t") for line in (ROOT / "data/kernels/chip_costs.tsv").read_text().splitlines()[1:]]
    return {row[1]: float(row[2]) for row in rows if row[0] == CHIP}


def run(*words, lang="en"):
    done = subprocess.run([BIN, *map(str, words)], capture_output=True, text=True, env={**os.environ, "LC_ALL": "zh_CN.UTF-8" if lang == "zh" else "C"})
    return done


class Times(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = run("--json", "kernel", "time", HERE / "timed.mlu", "--chip", CHIP)
        assert done.returncode == 0, done.stderr
        cls.report = json.loads(done.stdout)
        cls.kernels = {kernel["kernel"]: kernel for kernel in cls.report["kernels"]}
        cls.costs = costs()

    def cycles(self, kernel, pipe):
        return self.kernels[kernel]["busy_us"][pipe] * self.costs["clock_mhz"]

    def test_everything_is_called_modelled(self):
        self.assertTrue(self.report["is_modelled"])

    def test_a_copy_takes_its_share_of_the_memory(self):
        c = self.costs
        whole = c["memory_gbps"] * 1000 / c["clock_mhz"]
        one = 65536 / min(whole, c["core_memory_bytes_per_cycle"])
        each_of_many = 65536 / min(whole / c["cores"], c["core_memory_bytes_per_cycle"])
        # One task, then 32 on 16 cores: two each.
        self.assertAlmostEqual(self.cycles("one_copy", "io"), one + 2 * each_of_many, delta=1)
        latency = 3 * c["memory_latency"] + 3 * c["issue"]
        scalar = self.cycles("one_copy", "scalar") - 3 * c["issue"]
        self.assertAlmostEqual(self.kernels["one_copy"]["us"] * c["clock_mhz"], one + 2 * each_of_many + latency + scalar, delta=1)

    def test_lines_are_counted_once_per_launch(self):
        self.assertEqual(self.kernels["one_copy"]["bytes_touched"], 2 * 65536)
        self.assertEqual(self.kernels["one_copy"]["bytes_moved"], 33 * 65536)

    def test_vector_operations_start_and_run(self):
        c = self.costs
        self.assertAlmostEqual(self.cycles("two_additions", "vector"), 3 * (c["vector_start"] + 65536 / c["vector_bytes_per_cycle"]), delta=1)

    def test_pipes_work_together(self):
        alone = self.kernels["two_additions"]["us"]
        self.assertLess(self.kernels["together"]["us"], alone * 1.05)
        self.assertGreater(self.kernels["together"]["busy_us"]["io"], 0.3 * alone)

    def test_strided_copies_move_whole_lines(self):
        self.assertEqual(self.kernels["strided"]["bytes_moved"], 16384 // 16 * 64)
        c = self.costs
        line = 64 / min(c["memory_gbps"] * 1000 / c["clock_mhz"], c["core_memory_bytes_per_cycle"])
        self.assertAlmostEqual(self.cycles("strided", "io"), 1024 * (line + c["copy_segment"]) + 1024 * c["copy_segment"], delta=1024 * c["copy_segment"])

    def test_scalar_loads_of_the_memory_are_dear(self):
        kernel = self.kernels["scalar_sum"]
        self.assertEqual(kernel["far_accesses"], 1001)
        self.assertGreater(kernel["us"] * self.costs["clock_mhz"], 1000 * self.costs["far_load"])
        self.assertEqual(kernel["bottleneck"], "scalar")

    def test_a_cuda_program_is_not_timed(self):
        done = run("kernel", "time", HERE / "port" / "saxpy.cu")
        self.assertEqual(done.returncode, 3)
        self.assertIn("kernel explain", done.stderr)


class Explain(unittest.TestCase):
    def test_figures_agree_with_each_other(self):
        for name in ("saxpy", "stencil_2d", "tree_sum", "grid_stride"):
            done = run("--json", "kernel", "explain", HERE / "port" / f"{name}.cu", "--to", CHIP)
            self.assertEqual(done.returncode, 0, done.stderr)
            for kernel in json.loads(done.stdout)["kernels"]:
                modelled = kernel["modelled"]
                self.assertGreaterEqual(modelled["us"], modelled["bound"]["us"], kernel["kernel"])
                self.assertGreaterEqual(modelled["us"] * 1.001, max(modelled["busy_us"].values()), kernel["kernel"])
                self.assertGreaterEqual(modelled["us"] * 1.001, modelled["us_mean_core"])
                self.assertGreaterEqual(modelled["bytes_moved"], modelled["bytes_touched"])
                self.assertGreater(modelled["scalar_port_us"], 0)
                self.assertEqual(kernel["nram_bytes"], sum((buffer["bytes"] + 127) // 128 * 128 for buffer in kernel["buffers"]))

    def golden(self, lang):
        done = run("kernel", "explain", HERE / "port" / "saxpy.cu:saxpy", "--to", CHIP, lang=lang)
        self.assertEqual(done.returncode, 0, done.stderr)
        # Figures and widths move with the passes; what is said must not.
        said = re.sub(r"[-#]*\d[\d.]*", "#", re.sub(r"\S*/saxpy\.cu", "saxpy.cu", done.stdout))
        said = re.sub(r" +", " ", said)
        said = "\n".join(line for line in said.splitlines() if not re.match(r" - | \w+_# ", line))
        path = HERE / f"explain_saxpy.{lang}.golden"
        if os.environ.get("SB_UPDATE_GOLDEN"):
            path.write_text(said + "\n")
        self.assertEqual(said + "\n", path.read_text())

    def test_golden_english(self):
        self.golden("en")

    def test_golden_chinese(self):
        self.golden("zh")

    def test_an_unknown_kernel_is_named_with_those_there_are(self):
        done = run("kernel", "explain", str(HERE / "port" / "saxpy.cu") + ":saxpi", "--to", CHIP)
        self.assertEqual(done.returncode, 3)
        self.assertIn("saxpy", done.stderr)

    def test_a_chip_without_costs_is_refused(self):
        done = run("kernel", "explain", HERE / "port" / "saxpy.cu", "--to", "mlu220")
        self.assertEqual(done.returncode, 3)
        self.assertIn("kernel.no_costs", done.stderr)


if __name__ == "__main__":
    unittest.main()
