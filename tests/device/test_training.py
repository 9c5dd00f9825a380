"""Trainings on the emulated device against the same trainings on the plain CPU."""
from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
import unittest

from tests.device import support
from tests.device.support import environment, profile

WORKLOADS = str(pathlib.Path(__file__).with_name("workloads.py"))
# The same kernels on the same numbers; what differs is the order of a few roundings (dropout, fused recurrent cells).
TOLERANCE = 1e-5
TOLERANCE_HALF = 2e-3  # float16 and bfloat16 keep 11 and 8 bits


def losses(name: str, device: str, *arguments: str) -> list[float]:
    import json

    backend = device.split(":")[0]
    with tempfile.TemporaryDirectory() as folder:
        env = environment(None if backend == "cpu" else profile(backend), folder, {})
        done = subprocess.run([sys.executable, WORKLOADS, name, device, *arguments], capture_output=True, text=True, env=env,
                              timeout=200)
    if done.returncode != 0:
        raise AssertionError(done.stderr[-4000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def ddp_losses(device: str) -> list[float]:
    import json

    with tempfile.TemporaryDirectory() as folder:
        env = environment(None if device == "cpu" else profile(device), folder, {})
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", WORKLOADS, "ddp", device]
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=200)
    if done.returncode != 0:
        raise AssertionError(done.stderr[-4000:])
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("[")))


class Training(unittest.TestCase):
    def check(self, name: str, backend: str, tolerance: float, *arguments: str) -> None:
        expected, got = losses(name, "cpu", *arguments), losses(name, backend, *arguments)
        self.assertEqual(len(expected), len(got))
        for step, (left, right) in enumerate(zip(expected, got, strict=True)):
            self.assertLessEqual(abs(left - right), tolerance * max(1.0, abs(left)), f"step {step}: CPU {left}, device {right}")
        self.assertLess(got[-1], got[0] * 1.5)

    def test_mlp_with_dropout_follows_the_cpu(self) -> None:
        self.check("mlp", "npu", TOLERANCE)

    def test_cnn_follows_the_cpu(self) -> None:
        self.check("cnn", "npu", TOLERANCE)

    def test_recurrent_networks_follow_the_cpu(self) -> None:
        self.check("rnn", "npu", TOLERANCE)

    def test_gpt_in_mixed_precision_follows_the_cpu(self) -> None:
        self.check("gpt", "npu", TOLERANCE_HALF, "bfloat16")

    def test_gpt_in_float16_trains_on_mlu(self) -> None:
        self.check("gpt", "mlu", TOLERANCE_HALF, "float16")

    def test_two_processes_over_hccl_follow_gloo(self) -> None:
        expected = ddp_losses("cpu")
        for backend in support.BACKENDS:
            with self.subTest(backend=backend):
                for left, right in zip(expected, ddp_losses(backend), strict=True):
                    self.assertAlmostEqual(left, right, delta=TOLERANCE * max(1.0, abs(left)))


if __name__ == "__main__":
    unittest.main()
