"""What a program reads out of tensors is noted by python/probe: the same on the reference and on a device, in the project's code only."""
from __future__ import annotations

import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

from tests.device.support import ROOT, environment, profile

# Programs that look at functions themselves: a compiler of TorchScript, dynamo, and children of two kinds.
LOOKING = """
import os
import torch

def alike(x, y):
    return torch.allclose(x, y) and torch.equal(x, y)

@torch.jit.script
def scripted(x, y):
    z = torch.zeros([2], device=x.device) + torch.rand([2], device=x.device) * 0
    return torch.allclose(x, y) and torch.equal(x, z + x)

def child():
    print("child", torch.ones(1).item())

if __name__ == "__main__":
    x = torch.ones(2, device=DEVICE)
    assert scripted(x, x)
    assert torch.compile(lambda t: (t + 1).cpu(), backend="eager", fullgraph=True)(x).sum().item() == 4.0
    assert alike(x=x, y=x)
    process = os.fork()
    if process == 0:
        torch.ones(3).tolist()
        os._exit(0)
    os.waitpid(process, 0)
    context = torch.multiprocessing.get_context("spawn")
    spawned = context.Process(target=child)
    spawned.start(); spawned.join()
    assert spawned.exitcode == 0
"""

PROGRAM = """
import sys
sys.path.append(OUTSIDE)
import torch, library

def check(scale):
    x = torch.arange(6, dtype=torch.float32, device=DEVICE).reshape(2, 3) * scale
    assert torch.allclose(x, x + 0)
    assert x.sum().item() == 15 * scale
    f"{x.mean():.3f}"
    x.cpu(), x.tolist(), float(x[0, 1]), bool(x[1, 1] > 0)
    torch.as_tensor([x[0, 0], x[1, 2]], dtype=torch.float32), torch.tensor([x[0, 2], 1.0])
    return library.read(x)

torch.manual_seed(3)
check(SCALE)
before = torch.rand(1)
torch.testing.assert_close(before, before)
"""


def reads(device: str, scale: str = "2.0", program: str = PROGRAM) -> dict[str, list[object]]:
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        for name in ("project", "records", "outside"):
            (place / name).mkdir()
        (place / "outside" / "library.py").write_text("def read(x):\n    return x.max().item()\n")
        text = program.replace("DEVICE", repr(device)).replace("SCALE", scale).replace("OUTSIDE", repr(str(place / "outside")))
        (place / "project" / "main.py").write_text(textwrap.dedent(text))
        found = environment(profile("npu") if device == "npu" else None, folder, {})
        path = found["PYTHONPATH"] if device == "npu" else str(ROOT / "python/reference")
        found.update(PYTHONPATH=f"{ROOT}/python/probe:{path}", STARBRIDGE_PROBE_FOLDER=str(place / "records"), STARBRIDGE_PROBE_PROJECT=str(place / "project"))
        found.pop("STARBRIDGE_PROBE_OWNER", None)
        if device != "npu":
            found["STARBRIDGE_REFERENCE"] = "1"
        done = subprocess.run([sys.executable, "main.py"], cwd=place / "project", env=found, capture_output=True, text=True, timeout=200)
        if "sitecustomize" in done.stderr or (done.returncode != 0 and scale != "float('nan')"):
            raise AssertionError(done.stdout + done.stderr)
        series: dict[str, list[object]] = {}
        for file in glob.glob(os.path.join(folder, "records", "reads.*.jsonl")):
            for line in pathlib.Path(file).read_text().splitlines():
                row = json.loads(line)
                series.setdefault(row["name"], []).append(row["value"])
        return series


class Reads(unittest.TestCase):
    def test_both_sides_note_the_same(self) -> None:
        on_reference, on_device = reads("cuda"), reads("npu")
        self.assertEqual(on_reference, on_device)
        self.assertEqual(on_device["main.py:check item"], [30.0])
        self.assertEqual(on_device["main.py:check format"], [5.0])
        self.assertEqual(on_device["main.py:check bool"], [1.0])
        self.assertEqual(len(on_device["main.py:check float"]), 1)
        self.assertEqual(len(on_device["main.py:check allclose"]), 2)
        self.assertFalse([name for name in on_device if "library" in name])

    def test_other_numbers_and_another_order_are_seen(self) -> None:
        self.assertNotEqual(reads("cuda"), reads("cuda", "-2.0"))

    def test_programs_that_look_at_functions_still_run(self) -> None:
        for device in ("cuda", "npu"):
            with self.subTest(device=device):
                found = reads(device, program=LOOKING)
                self.assertEqual(found["main.py:alike allclose"], [1.0, found["main.py:alike allclose"][1]])
                self.assertEqual(found["main.py:<module> item"], [4.0])
                # Neither the forked nor the spawned child is one of the run's own.
                self.assertFalse([name for name in found if "tolist" in name or "child" in name])

    def test_numbers_are_kept_apart_by_test(self) -> None:
        program = """
        import os
        import torch
        def read(x):
            return x.item()
        for name in ("t.py::test_a[1 (2)]", "t.py::test_b"):
            os.environ["PYTEST_CURRENT_TEST"] = name + " (call)"
            read(torch.tensor(float(len(name)), device=DEVICE))
        """
        self.assertEqual(reads("cuda", program=textwrap.dedent(program)),
                         {"main.py:read item in t.py::test_a[1 (2)]": [19.0], "main.py:read item in t.py::test_b": [12.0]})

    def test_what_is_not_finite_is_text(self) -> None:
        # The comparison in the program fails, as it must; what was read before stays noted.
        self.assertEqual(reads("cuda", "float('nan')")["main.py:check allclose"], ["nan", "nan"])


if __name__ == "__main__":
    unittest.main()
