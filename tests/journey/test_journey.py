"""The shipped example through every station, on both emulated chips."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ["STARBRIDGE_BIN"]
EXAMPLE = ROOT / "examples" / "small_gpt"
HAS_CARDS = shutil.which("clang++-19") is not None  # then extensions are built and run too


def run(*arguments, **keywords):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=600, env={**os.environ, "LANG": "C.UTF-8"}, **keywords)


def run_json(*arguments):
    return json.loads(run("--json", *arguments).stdout)


class Journey(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = Path(tempfile.mkdtemp(prefix="starbridge-journey-"))
        for chip in ("ascend-910b3", "mlu370-x8"):
            assert run("port", EXAMPLE, "--to", chip, "-o", cls.work / chip).returncode == 0

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work, ignore_errors=True)

    def test_scan_leaves_the_kernel_as_an_open_finding(self):
        report = run_json("scan", EXAMPLE, "--to", "ascend-910b3,mlu370-x8,iluvatar-bi-v150")
        verdicts = {chip["chip"]: chip["verdict"] for chip in report["chips"]}
        self.assertEqual(verdicts, {"ascend-910b3": "needs_work", "mlu370-x8": "needs_work", "iluvatar-bi-v150": "runs_after_port"})
        # Iluvatar keeps the torch.cuda names: only the resource in the Kubernetes Job is another.
        patch = run("port", EXAMPLE, "--to", "iluvatar-bi-v150", "--patch").stdout
        self.assertEqual([line for line in patch.splitlines() if line.startswith("+++")], ["+++ b/k8s-job.yaml"])
        kernels = [f for f in report["chips"][0]["findings"] if f["rule"] == "cuda-kernel"]
        self.assertEqual([(f["file"], f["line"]) for f in kernels], [("kernels/fused_gelu.cu", 6), ("kernels/fused_gelu.cu", 16)])
        self.assertEqual([k["name"] for k in report["cuda"]["kernels"]], ["fused_gelu_kernel", "fused_gelu_backward_kernel"])

    def test_words_in_comments_docstrings_paths_and_names_stay(self):
        ported = (self.work / "ascend-910b3" / "train.py").read_text()
        for kept in ('"""Trains the small GPT on one cuda device', 'CUDA_CACHE_DIR = "/tmp/cuda_cache"', "(cuda available: {", 'help="cuda or cpu"'):
            self.assertIn(kept, ported)
        for changed in ('default="npu", choices=["npu", "cpu"]', 'f"npu:{local_rank}"', "torch.npu.set_device", 'default="hccl"', "import torch_npu\n"):
            self.assertIn(changed, ported)

    def test_the_notebook_keeps_outputs_and_magics(self):
        before = json.loads((EXAMPLE / "explore.ipynb").read_text())
        after = json.loads((self.work / "mlu370-x8" / "explore.ipynb").read_text())
        self.assertEqual(after["cells"][1]["outputs"], before["cells"][1]["outputs"])
        self.assertEqual(after["cells"][1]["source"][0], "%matplotlib inline\n")
        self.assertIn('device = torch.device("mlu" if torch.mlu.is_available()', "".join(after["cells"][1]["source"]))

    def test_job_scripts_ask_for_the_chips_cards(self):
        self.assertIn("#SBATCH --gres=npu:1", (self.work / "ascend-910b3" / "train.sbatch").read_text())
        self.assertIn("--gres=mlu:1", (self.work / "mlu370-x8" / "train.sbatch").read_text())
        self.assertNotIn("nvidia.com/gpu", (self.work / "ascend-910b3" / "k8s-job.yaml").read_text())

    def test_porting_twice_changes_nothing_and_reversing_restores_every_byte(self):
        for chip in ("ascend-910b3", "mlu370-x8"):
            self.assertEqual(run("port", self.work / chip, "--to", chip, "--patch").stdout, "")
            copy = self.work / f"{chip}-reversed"
            shutil.copytree(self.work / chip, copy)
            self.assertEqual(run("port", copy, "--reverse").returncode, 0)
            difference = subprocess.run(["diff", "-r", EXAMPLE, copy], capture_output=True, text=True)
            self.assertEqual(difference.stdout, "")

    def test_a_patch_gives_the_same_tree(self):
        copy = self.work / "patched"
        shutil.copytree(EXAMPLE, copy)
        patch = run("port", EXAMPLE, "--to", "ascend-910b3", "--patch").stdout
        applied = subprocess.run(["patch", "-p1", "-s"], cwd=copy, input=patch, capture_output=True, text=True)
        self.assertEqual(applied.returncode, 0, applied.stdout)
        difference = subprocess.run(["diff", "-r", "-x", ".starbridge-port.json", self.work / "ascend-910b3", copy], capture_output=True, text=True)
        self.assertEqual(difference.stdout, "")

    def test_losses_and_saved_tensors_on_both_emulated_chips_match_the_reference(self):
        for chip in ("ascend-910b3", "mlu370-x8"):
            report = run_json("verify", EXAMPLE, self.work / chip, "--", "python", "train.py", "--steps", "12")
            self.assertTrue(report["agrees"], report.get("reason"))
            self.assertEqual(report["series"][0]["port_count"], 12)
            self.assertGreater(len(report["tensors"]), 100)
            self.assertGreater(report["emulated_device"]["operator_count"], 1000)
            self.assertEqual(report["files"]["train.py"], "executed")
            self.assertEqual(report["files"]["setup.py"], "parsed")
            # The MLU has the kernels ported with the project; for the NPU both sides run without.
            self.assertEqual(report["extension"]["port"], "built" if chip.startswith("mlu") and HAS_CARDS else "none")

    def test_losses_match_in_mixed_precision(self):
        # Saved tensors are left out here: in 16 bits single weights part further than their tolerance, and verify says so.
        report = run_json("verify", EXAMPLE, self.work / "ascend-910b3", "--", "python", "train.py", "--steps", "12", "--amp")
        self.assertEqual(report["port_exit_code"], 0)
        self.assertEqual(report["series"][0]["port_count"], 12)
        self.assertTrue(all(series["agrees"] for series in report["series"]))

    def test_one_wrong_tensor_is_enough_to_disagree(self):
        broken = self.work / "one-tensor"
        shutil.copytree(self.work / "ascend-910b3", broken)
        train = broken / "train.py"
        saving = '        torch.save({"model"'
        self.assertIn(saving, train.read_text())
        train.write_text(train.read_text().replace(saving, "        with torch.no_grad():\n            model.blocks[0].attn.qkv.bias.zero_()\n" + saving))
        done = run("--json", "verify", EXAMPLE, broken, "--", "python", "train.py", "--steps", "6")
        self.assertEqual(done.returncode, 1)
        report = json.loads(done.stdout)
        self.assertEqual([t["name"] for t in report["tensors"] if not t["agrees"]], ["model.blocks.0.attn.qkv.bias"])

    def test_a_broken_port_is_told_apart(self):
        broken = self.work / "broken"
        shutil.copytree(self.work / "ascend-910b3", broken)
        model = broken / "model.py"
        model.write_text(model.read_text().replace("std=0.02 /", "std=0.04 /"))
        done = run("--json", "verify", EXAMPLE, broken, "--", "python", "train.py", "--steps", "4")
        self.assertEqual(done.returncode, 1)
        report = json.loads(done.stdout)
        self.assertEqual(report["series"][0]["first_diverging_step"], 0)

    def test_what_a_program_leaves_unseeded_begins_alike_on_both_sides(self):
        project = self.work / "unseeded"
        project.mkdir()
        (project / "train.py").write_text(
            "import random\nimport numpy\nimport torch\n"
            "def draw():\n"
            "    x = torch.randn(8, device='cuda') + random.random() + numpy.random.rand() + numpy.random.default_rng().normal()\n"
            "    torch.seed()\n"
            "    return (x + torch.rand(8, device='cuda')).cpu()\n"
            "draw()\n")
        port = self.work / "unseeded-port"
        self.assertEqual(run("port", project, "--to", "ascend-910b3", "-o", port).returncode, 0)
        reports = [run_json("verify", project, port, "--seed", seed, "--keep", self.work / f"kept-{seed}", "--", "python", "train.py") for seed in (5, 6)]
        for report in reports:
            self.assertTrue(report["agrees"], report.get("reason"))
            self.assertEqual((report["compared"], report["series"][0]["port_count"]), ("reads", 2))
        # The run of the original serves another chip; a run of another seed does not.
        other = self.work / "unseeded-mlu"
        self.assertEqual(run("port", project, "--to", "mlu370-x8", "-o", other).returncode, 0)
        kept = ("verify", project, other, "--original-run", self.work / "kept-5", "--seed")
        self.assertTrue(run_json(*kept, 5, "--", "python", "train.py")["agrees"])
        for refused in (run(*kept, 6, "--", "python", "train.py"), run(*kept, 5, "--", "python", "train.py", "--more")):
            self.assertEqual(refused.returncode, 3)
            self.assertIn("[verify.other_run]", refused.stderr)
        numbers = [next((self.work / f"kept-{seed}" / "original" / "records").glob("reads.*")).read_text() for seed in (5, 6)]
        self.assertNotEqual(*numbers)
        # Half a kept run is none: its missing numbers must not look like the port's.
        shutil.rmtree(self.work / "kept-5" / "original" / "records")
        refused = run(*kept, 5, "--", "python", "train.py")
        self.assertEqual(refused.returncode, 3)
        self.assertIn("kept-5/original/records", refused.stderr)

    def test_a_link_to_a_project_is_run_in_a_copy(self):
        project = self.work / "linked"
        project.mkdir()
        (project / "train.py").write_text("open('written', 'w').close()\nprint('loss 1.0')\n")
        link = self.work / "link"
        link.symlink_to(project)
        report = run_json("verify", link, link, "--to", "ascend-910b3", "--", "python", "train.py")
        self.assertTrue(report["agrees"], report.get("reason"))
        self.assertEqual([path.name for path in project.iterdir()], ["train.py"])

    def test_an_original_that_fails_is_named(self):
        done = run("verify", EXAMPLE, self.work / "ascend-910b3", "--", "python", "no_such_script.py")
        self.assertEqual(done.returncode, 3)
        self.assertIn("[verify.original_failed]", done.stderr)
        done = run("verify", EXAMPLE, self.work / "ascend-910b3", "--", "python", "-c", "import no_such_package.part")
        self.assertEqual(done.returncode, 3)
        self.assertIn("-m pip install no_such_package", done.stderr)

    def test_the_three_dialects_get_the_identical_decision(self):
        decisions = {name: run("--json", "submit", "--dry-run", EXAMPLE / name).stdout for name in ("job.yaml", "train.sbatch", "k8s-job.yaml")}
        self.assertEqual(len(set(decisions.values())), 1)
        decision = json.loads(decisions["job.yaml"])
        self.assertEqual(decision["status"], "placed")
        self.assertEqual({c["chip"] for c in decision["candidates"]}, {"ascend-910b3", "mlu370-x8", "nvidia-a100-80g"})
        self.assertTrue(all(c["reason"] for c in decision["candidates"]))


if __name__ == "__main__":
    unittest.main()
