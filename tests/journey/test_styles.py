"""The shipped example in the three output styles: the same losses, on emulated cards and, for the portable style, under CUDA's names."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ["STARBRIDGE_BIN"]
EXAMPLE = ROOT / "examples" / "small_gpt"
STEPS = "6"


def losses(text):
    return re.findall(r"step (\d+) loss ([\d.]+)", text)


class Styles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = Path(tempfile.mkdtemp(prefix="starbridge-styles-"))
        venv = subprocess.run([ROOT / "tools" / "torch_venv"], check=True, capture_output=True, text=True).stdout.strip()
        cls.python = Path(venv) / "bin" / "python"
        cls.emulated = subprocess.run([cls.python, ROOT / "python/emulated/build.py", "--print-path"], check=True, capture_output=True, text=True).stdout.strip()
        for style in ("vendor", "portable"):
            done = subprocess.run([BINARY, "port", EXAMPLE, "--to", "ascend-910b3", "--style", style, "-o", cls.work / style], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        shutil.copytree(EXAMPLE, cls.work / "plug-in")
        for chip in ("ascend-910b3", "mlu370-x8"):
            profile = subprocess.run([BINARY, "device-profile", chip], check=True, capture_output=True, text=True).stdout
            (cls.work / f"{chip}.json").write_text(profile)
        cls.expected = cls.train("vendor", "ascend-910b3")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work, ignore_errors=True)

    @classmethod
    def train(cls, style, chip):
        """The losses of the example in one style; on an emulated chip, or with the names of CUDA mapped to the CPU."""
        env = {key: value for key, value in os.environ.items() if not key.startswith(("STARBRIDGE_", "CUDA_", "PORTABLE_"))}
        env.update(OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
        command = [cls.python, "train.py"]
        if chip == "cuda":
            env.update(PYTHONPATH=str(ROOT / "python/reference"), STARBRIDGE_REFERENCE="1")
        else:
            env.update(PYTHONPATH=f"{cls.emulated}:{ROOT / 'python/starbridge_torch'}", STARBRIDGE_DEVICE_PROFILE=str(cls.work / f"{chip}.json"))
        if style == "plug-in":
            command = [cls.python, "-m", "starbridge_torch", "train.py"]
        done = subprocess.run([*command, "--steps", STEPS, "--out", cls.work / "checkpoint.pt"], cwd=cls.work / style, env=env, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]
        if chip != "cuda":
            assert "Ascend" in done.stdout or "MLU" in done.stdout, done.stdout  # it ran on the card, not on the CPU
        found = losses(done.stdout)
        assert len(found) == int(STEPS), done.stdout
        return found

    def test_portable_and_plug_in_follow_the_vendor_style(self):
        self.assertEqual(self.train("portable", "ascend-910b3"), self.expected)
        self.assertEqual(self.train("plug-in", "ascend-910b3"), self.expected)

    def test_the_portable_copy_and_the_plug_in_run_on_another_chip_unchanged(self):
        self.assertEqual(self.train("portable", "mlu370-x8"), self.expected)
        self.assertEqual(self.train("plug-in", "mlu370-x8"), self.expected)

    def test_the_portable_copy_still_runs_under_the_names_of_cuda(self):
        for (step, got), (_, expected) in zip(self.train("portable", "cuda"), self.expected, strict=True):
            self.assertAlmostEqual(float(got), float(expected), delta=1e-4, msg=f"step {step}")

    def test_the_plug_in_style_edits_nothing_and_says_how_to_run(self):
        done = subprocess.run([BINARY, "port", EXAMPLE, "--to", "ascend-910b3", "--style", "plug-in"], capture_output=True, text=True, env={**os.environ, "LANG": "C.UTF-8"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("python -m starbridge_torch", done.stdout)
        refused = subprocess.run([BINARY, "port", EXAMPLE, "--to", "ascend-910b3", "--style", "plug-in", "--patch"], capture_output=True, text=True)
        self.assertEqual(refused.returncode, 2)
        unknown = subprocess.run([BINARY, "port", EXAMPLE, "--to", "ascend-910b3", "--style", "shiny"], capture_output=True, text=True)
        self.assertEqual(unknown.returncode, 2)


if __name__ == "__main__":
    unittest.main()
