"""The whole way: a project with an extension scanned, ported with its kernels, and held against the original, gradients included."""
from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from tests.extensions import support


def starbridge(*arguments: str, cwd: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "STARBRIDGE_ROOT": str(support.ROOT)}
    return subprocess.run([environment.get("STARBRIDGE_BIN", str(support.ROOT / "bin/starbridge")), *arguments], cwd=cwd, env=environment,
                          capture_output=True, text=True, timeout=800)


class Port(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def port(self, project: pathlib.Path) -> dict:
        done = starbridge("--json", "port", str(project), "--to", "mlu370-x8", "-o", self.folder + "/ported", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_port_and_verify(self) -> None:
        project = support.copy_project("add_relu", self.folder)
        report = self.port(project)
        ported = pathlib.Path(self.folder) / "ported"
        self.assertIn("add_relu_kernel.mlu", report["new_files"])
        script = (ported / "setup.py").read_text()
        self.assertIn('"add_relu_kernel.mlu", "add_relu_kernel.cpp"', script)
        host = (ported / "add_relu_kernel.cpp").read_text()
        # The project's own names stay, whatever they are made of; nothing of CUDA's does.
        code = re.sub(r"//[^\n]*|\badd_relu_\w+", "", host)
        self.assertNotRegex(code, r"cuda|CUDA|<<<|__global__")
        self.assertIn("is_privateuseone()", (ported / "add_relu.cpp").read_text())
        done = starbridge("--json", "--quiet", "verify", str(project), str(ported), "--", "python", "train.py", cwd=self.folder)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["extension"], {"original": "built", "port": "built"})
        self.assertTrue(answer["agrees"], answer)
        self.assertEqual(done.returncode, 0)
        # Back to the byte.
        self.assertEqual(starbridge("port", "--reverse", str(ported), cwd=self.folder).returncode, 0)
        for path in project.iterdir():
            if path.is_file():
                self.assertEqual(path.read_bytes(), (ported / path.name).read_bytes(), path.name)

    def test_a_kernel_that_cannot_be_had_keeps_its_finding_with_the_reason(self) -> None:
        project = support.copy_project("add_relu", self.folder)
        source = project / "add_relu_kernel.cu"
        text = source.read_text().replace("if (i < count) grad_x[i] =", 'asm volatile("bar.sync 0;");\n  if (i < count) grad_x[i] =')
        source.write_text(text)
        report = self.port(project)
        findings = [each for each in report["report"]["findings"] if each["rule"] == "cuda-kernel"]
        self.assertTrue(findings)
        self.assertTrue(any("add_relu_kernel.cu:24" in each["message"] and "PTX" in each["message"] for each in findings), findings)
        self.assertNotIn("add_relu_kernel.mlu", report["new_files"])


if __name__ == "__main__":
    unittest.main()
