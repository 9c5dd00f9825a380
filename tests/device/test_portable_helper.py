"""The helper module that the portable style puts into a project, on machines of several kinds (a torch made up for the purpose)."""
from __future__ import annotations

import csv
import importlib.util
import os
import subprocess
import sys
import types
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
HELPER = ROOT / "data/port/portable_device.py"


def module(name: str, **values: Any) -> types.ModuleType:
    made = types.ModuleType(name)
    made.__dict__.update(values)
    made.__spec__ = importlib.util.spec_from_loader(name, loader=None)
    return made


def machine(family: str) -> dict[str, types.ModuleType]:
    """What a machine with cards of this family has to import."""
    amp = module("amp", autocast="amp.autocast", GradScaler="amp.GradScaler")
    runtime = module(family, amp=amp, is_available=lambda: True, empty_cache=lambda: family, NPUGraph="graph" if family == "npu" else None,
                     Stream="stream of " + family)
    profiler = module("torch.profiler", ProfilerActivity=types.SimpleNamespace(CUDA="cuda activity", MLU="mlu activity"))
    torch = module("torch", autocast="torch.autocast", OutOfMemoryError=MemoryError, profiler=profiler, **{family: runtime})
    modules = {"torch": torch, "torch.profiler": profiler}
    if family != "cuda":
        plugin = module("torch_" + family, profiler=types.SimpleNamespace(ProfilerActivity=types.SimpleNamespace(NPU="npu activity")))
        modules["torch_" + family] = plugin
    return modules


def load(family: str, **environment: str) -> Any:
    spec = importlib.util.spec_from_file_location("portable_device", HELPER)
    assert spec is not None and spec.loader is not None
    helper = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(helper)
    return helper


class Helper(unittest.TestCase):
    def on(self, family: str, **environment: str) -> Any:
        blocked = {name: None for name in ("torch_npu", "torch_mlu", "torch_musa")}
        patch = mock.patch.dict(sys.modules, {**blocked, **machine(family)})
        patch.start()
        self.addCleanup(patch.stop)
        variables = mock.patch.dict(os.environ, environment)
        variables.start()
        self.addCleanup(variables.stop)
        return load(family)

    def test_names_follow_the_card(self) -> None:
        for family, collective in (("cuda", "nccl"), ("npu", "hccl"), ("mlu", "cncl"), ("musa", "mccl")):
            with self.subTest(family=family):
                helper = self.on(family)
                self.assertEqual((helper.name, helper.collective), (family, collective))
                self.assertEqual([helper.at(), helper.at(1), helper.at("cuda:2"), helper.at("cuda"), helper.at("cpu")],
                                 [family, family + ":1", family + ":2", family, "cpu"])
                self.assertEqual(helper.runtime.empty_cache(), family)
                self.assertIs(helper.runtime.OutOfMemoryError, MemoryError)
                self.assertEqual(helper.autocast, "amp.autocast")
                self.assertEqual(helper.Stream, "stream of " + family)
                self.assertTrue(helper.is_on(types.SimpleNamespace(**{"is_" + family: True})))
                self.assertFalse(helper.is_on(types.SimpleNamespace()))
                with self.assertRaisesRegex(AttributeError, "no_such_name"):
                    helper.no_such_name

    def test_names_of_the_vendors_are_found_under_those_of_cuda(self) -> None:
        helper = self.on("npu")
        self.assertEqual(helper.runtime.CUDAGraph, "graph")
        self.assertEqual(helper.named("torch.profiler.ProfilerActivity.CUDA"), "npu activity")
        self.assertEqual(helper.variable("CUDA_VISIBLE_DEVICES"), "ASCEND_RT_VISIBLE_DEVICES")
        self.assertEqual(helper.variable("MY_OWN"), "MY_OWN")

    def test_on_nvidia_everything_is_as_it_was(self) -> None:
        helper = self.on("cuda")
        self.assertEqual(helper.named("torch.profiler.ProfilerActivity.CUDA"), "cuda activity")
        self.assertEqual(helper.variable("CUDA_VISIBLE_DEVICES"), "CUDA_VISIBLE_DEVICES")

    def test_a_hand_may_choose(self) -> None:
        self.assertEqual(self.on("npu", PORTABLE_DEVICE="cuda").name, "cuda")
        with self.assertRaisesRegex(ValueError, "PORTABLE_DEVICE must be one of"):
            self.on("npu", PORTABLE_DEVICE="tpu").name

    def test_scripts_can_ask_it(self) -> None:
        env = {**os.environ, "PORTABLE_DEVICE": "cuda"}
        for word, answer in (("name", "cuda"), ("collective", "nccl")):
            done = subprocess.run([sys.executable, str(HELPER), word], capture_output=True, text=True, env=env)
            self.assertEqual((done.returncode, done.stdout.strip()), (0, answer), done.stderr)
        self.assertNotEqual(subprocess.run([sys.executable, str(HELPER), "what"], capture_output=True, env=env).returncode, 0)

    def test_its_tables_are_those_of_the_data(self) -> None:
        helper = load("")
        with open(ROOT / "data/compat/env.tsv", newline="") as file:
            known = {(row["name"], row["backend"]): row["target"] for row in csv.DictReader(file, delimiter="\t")}
        for name, targets in helper.VARIABLES.items():
            for family, target in targets.items():
                self.assertEqual(known[(name, family)], target)
        with open(ROOT / "data/compat/names.tsv", newline="") as file:
            names = {(row["name"], row["backend"]): row["target"] for row in csv.DictReader(file, delimiter="\t")}
        for name, targets in helper.NAMES.items():
            for family, target in targets.items():
                self.assertEqual(names[(name, family)], target)

    def test_it_runs_on_every_python_that_pytorch_does(self) -> None:
        compile(HELPER.read_text(), str(HELPER), "exec", flags=0, dont_inherit=True)
        self.assertNotIn("starbridge", HELPER.read_text().lower())


if __name__ == "__main__":
    unittest.main()
