"""`weights dump-compare`: recorded runs of real networks, and the fault found where it was put."""

import json
import os
import unittest

import numpy as np
import torch

import support
from support import WeightsCase, run, run_json, safetensors_bytes


class Recorder:
    """Runs a network and writes the inputs and outputs of every layer, in one of the layouts that such tools write."""

    def __init__(self, folder, layout):
        self.folder, self.layout, self.count, self.record = folder, layout, 0, {}
        self.data = folder / "dump_tensor_data" if layout == "record" else folder
        os.makedirs(self.data)

    def write(self, op, role, index, tensor):
        if self.layout == "numbers":
            np.save(self.data / f"{self.count:04d}_{op}.{role}.{index}.npy", tensor.detach().numpy())
        elif self.layout == "time":
            path = self.data / f"{op}-{role}{index}.pt".replace(f"{role}{index}", f"{role}.{index}")
            torch.save(tensor.detach().clone(), path)
            os.utime(path, ns=(10**18 + self.count * 10**6, 10**18 + self.count * 10**6))
        else:
            name = f"{op}.forward.{role}.{index}.pt"
            torch.save(tensor.detach().clone(), self.data / name)
            parts = self.record.setdefault(f"{op}.forward", {"input_args": [], "input_kwargs": {}, "output": []})
            parts["output" if role == "output" else "input_args"].append({"type": "torch.Tensor", "dtype": str(tensor.dtype), "shape": list(tensor.shape), "data_name": name})
        self.count += 1

    def run(self, net, fault, value):
        for name, layer in reversed(list(net.named_children())):  # called in another order than that of the names
            self.write(f"Module.{name}", "input", 0, value)
            value = layer(value)
            if fault is not None and fault[0] == name:
                value = fault[1](value)
            self.write(f"Module.{name}", "output", 0, value)
        if self.layout == "record":
            (self.folder / "dump.json").write_text(json.dumps({"task": "tensor", "level": "L1", "framework": "pytorch", "dump_data_dir": str(self.data), "data": self.record}))


class DumpCompare(WeightsCase):
    def record(self, name, layout, fault=None):
        torch.manual_seed(5)
        net = torch.nn.Module()
        for index in range(12):
            net.add_module(f"block{index}", torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Tanh()))
        net.eval()
        Recorder(self.path(name), layout).run(net, fault, torch.randn(4, 16))
        return self.path(name)

    def test_the_faulty_operator_is_named(self):
        def wrong(value):
            value = value.clone()
            value[2, 3] += 0.1
            return value

        for layout, order in (("record", "record"), ("numbers", "numbers"), ("time", "time")):
            words = ["--by-time"] if layout == "time" else []
            a = self.record(f"a-{layout}", layout)
            self.assertTrue(run_json("weights", "dump-compare", a, self.record(f"same-{layout}", layout), *words)["agrees"])
            for faulty in ("block9", "block4", "block11", "block0"):
                b = self.record(f"b-{layout}-{faulty}", layout, (faulty, wrong))
                answer = run_json("weights", "dump-compare", a, b, *words, expect=1)
                wanted = f"Module.{faulty}" + (".forward" if layout == "record" else "")
                self.assertEqual(answer["schema"], "starbridge.weights_dump_compare/1")
                self.assertEqual(answer["order"], order)
                self.assertEqual(answer["first_diverging"], {"operator": wanted, "cause": "operator"}, layout)
                self.assertEqual(answer["first_made_here"], answer["first_diverging"])
                self.assertEqual([row["name"].split(".")[1] for row in answer["operators"]], [f"block{index}" for index in range(11, -1, -1)])
                text = run("weights", "dump-compare", a, b, *words, expect=1).stdout
                self.assertIn(f"first diverging operator: {wanted} (its recorded inputs agree)", text)

    def test_small_drift_agrees_and_tolerances_decide(self):
        a = self.record("a", "record")
        b = self.record("b", "record", ("block7", lambda value: value * (1 + 1e-5)))
        self.assertEqual(run("weights", "dump-compare", a, b).returncode, 0)
        answer = run_json("weights", "dump-compare", a, b, "--tolerance", "1e-7:1e-7", expect=1)
        self.assertEqual(answer["first_diverging"]["operator"], "Module.block7.forward")

    def test_the_first_nan_is_named(self):
        def poison(value):
            value = value.clone()
            value[0, 0] = float("nan")
            return value

        a, b = self.record("a", "record"), self.record("b", "record", ("block6", poison))
        answer = run_json("weights", "dump-compare", a, b, expect=1)
        self.assertEqual(answer["first_not_finite"], "dump_tensor_data/Module.block6.forward.output.0")
        self.assertEqual(answer["first_diverging"]["operator"], "Module.block6.forward")

    def test_a_difference_that_came_in_is_told_from_one_that_was_made(self):
        a, b = self.path("a"), self.path("b")
        for folder, shift in ((a, 0.0), (b, 0.5)):
            os.makedirs(folder)
            np.save(folder / "01_load.input.0.npy", np.ones(4, np.float32) + np.float32(shift))
            np.save(folder / "01_load.output.0.npy", np.ones(4, np.float32) + np.float32(shift))
            np.save(folder / "02_relu.input.0.npy", np.ones(4, np.float32))
            np.save(folder / "02_relu.output.0.npy", np.ones(4, np.float32) * np.float32(1 + shift))
            np.save(folder / "03_sum.npy", np.float32(4 + shift))
        answer = run_json("weights", "dump-compare", a, b, expect=1)
        self.assertEqual(answer["first_diverging"], {"operator": "load", "cause": "input"})
        self.assertEqual(answer["first_made_here"], {"operator": "relu", "cause": "operator"})
        self.assertEqual({row["name"]: row.get("cause") for row in answer["operators"]}, {"load": "input", "relu": "operator", "sum": "unknown"})

    def test_formats_may_differ_and_files_may_hold_several_tensors(self):
        values = {"attn.output.0": torch.randn(5, 6), "mlp.output.0": torch.randn(7)}
        for name in "abc":
            os.makedirs(self.path(name))
        self.write("a/step.safetensors", safetensors_bytes(values))
        torch.save(values, self.path("b") / "step.pt")
        np.savez(self.path("c") / "step.npz", **{name: value.numpy() for name, value in values.items()})
        for other in "bc":
            answer = run_json("weights", "dump-compare", self.path("a"), self.path(other))
            self.assertEqual({row["name"] for row in answer["operators"]}, {"step:attn", "step:mlp"})

    def test_missing_dumps_stand_where_they_would_have_been(self):
        a, b = self.path("a"), self.path("b")
        for folder, names in ((a, ["1_x", "2_y", "4_z"]), (b, ["1_x", "3_w", "4_z"])):
            os.makedirs(folder)
            for name in names:
                np.save(folder / f"{name}.npy", np.ones(3))
        answer = run_json("weights", "dump-compare", a, b, expect=1)
        self.assertEqual([row["name"] for row in answer["operators"]], ["x", "w", "y", "z"])
        self.assertEqual([row["tensors"][0]["outcome"] for row in answer["operators"]], ["identical", "only_in_second", "only_in_first", "identical"])
        run("weights", "dump-compare", a, b, "--ignore-missing", expect=0)

    def test_bad_input_is_refused(self):
        a = self.record("a", "record")
        os.makedirs(self.path("empty"))
        os.makedirs(self.path("other"))
        np.save(self.path("other") / "x.npy", np.ones(2))
        self.assertIn("weights.nothing_to_compare", run("weights", "dump-compare", a, self.path("empty"), expect=3).stderr)
        self.assertIn("weights.nothing_to_compare", run("weights", "dump-compare", a, self.path("other"), expect=3).stderr)
        run("weights", "dump-compare", a, self.path("none"), expect=3)
        run("weights", "dump-compare", a, expect=2)
        self.write("a/dump.json", b'{"data": {"x": [')
        self.assertIn("dump.json", run("weights", "dump-compare", a, a, expect=3).stderr)
        self.write("other/bad.npy", b"\x93NUMPY\x01\x00\xff\xff{")
        self.assertIn("bad.npy", run("weights", "dump-compare", self.path("other"), self.path("other"), expect=3).stderr)


if __name__ == "__main__":
    unittest.main()
