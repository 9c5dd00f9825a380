"""Reports of a scan: every form holds what its readers rely on, and the checks for CI answer as promised."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ["STARBRIDGE_BIN"]
CHIPS = "ascend-910b3,mlu370-x8,iluvatar-bi-v150"
CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-quic"]


def scan(path, *options, check=True):
    done = subprocess.run([BINARY, "scan", str(path), *options], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "STARBRIDGE_ROOT": str(ROOT)})
    if check and done.returncode != 0:
        raise AssertionError(done.stderr)
    return done


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.project = Path(cls.folder.name, "small gpt ü")  # a name that must be escaped in links
        shutil.copytree(ROOT / "examples/small_gpt", cls.project)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_json_keeps_its_published_schema(self):
        document = json.loads(scan(self.project, "--to", CHIPS, "--json").stdout)
        jsonschema.validate(document, json.loads((ROOT / "docs/schemas/scan.json").read_text()))
        self.assertEqual([chip["chip"] for chip in document["chips"]], CHIPS.split(","))
        for chip in document["chips"]:
            points = chip["points"]
            total = sum(points.values())
            self.assertEqual(chip["score"], 100 if total == 0 else 100 * points["automatic"] // total)

    def test_fixes_in_sarif_are_the_port(self):
        document = json.loads(scan(self.project, "--to", "ascend-910b3", "--format", "sarif").stdout)
        self.assertEqual(document["version"], "2.1.0")
        run = document["runs"][0]
        port = Path(self.folder.name, "port")
        subprocess.run([BINARY, "port", str(self.project), "--to", "ascend-910b3", "-o", str(port)], check=True, capture_output=True)
        edits = {}
        for result in run["results"]:
            self.assertEqual(run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"], result["ruleId"])
            for fix in result.get("fixes", []):
                for change in fix["artifactChanges"]:
                    name = urllib.parse.unquote(change["artifactLocation"]["uri"])
                    edits.setdefault(name, []).extend(change["replacements"])
        self.assertGreater(len(edits), 5)
        for name, replacements in edits.items():
            text = (self.project / name).read_bytes()
            lines = text.decode().splitlines(keepends=True)
            for replacement in sorted(replacements, key=lambda each: -each["deletedRegion"]["byteOffset"]):
                region, new = replacement["deletedRegion"], replacement["insertedContent"]["text"]
                begin = region["byteOffset"]
                # The two ways to name a place agree.
                before = "".join(lines[: region["startLine"] - 1]) + (lines + [""])[region["startLine"] - 1][: region["startColumn"] - 1]
                self.assertEqual(len(before.encode()), begin, (name, region))
                text = text[:begin] + new.encode() + text[begin + region["byteLength"]:]
            self.assertEqual(text, (port / name).read_bytes(), name)

    def test_markdown_speaks_both_languages(self):
        english = scan(self.project, "--to", CHIPS, "--format", "markdown").stdout
        self.assertIn("| chip | verdict | score | edits | assisted | by hand | warnings |", english)
        self.assertIn("-ENV CUDA_VISIBLE_DEVICES=0", english)
        chinese = scan(self.project, "--to", CHIPS, "--format", "markdown", "--lang", "zh").stdout
        self.assertIn("| 芯片 | 结论 | 得分 |", chinese)

    def test_the_page_draws_itself_in_a_browser(self):
        page = Path(self.folder.name, "report.html")
        (self.project / "hostile.py").write_text("import torch\nx = torch.ones(1, device='cuda')  # </script><script>alert(1)</script>\n")
        scan(self.project, "--to", CHIPS, "--format", "html", "--lang", "zh", "-o", str(page))
        with tempfile.TemporaryDirectory() as profile:
            shown = subprocess.run([*CHROMIUM, f"--user-data-dir={profile}", "--dump-dom", page.as_uri()], capture_output=True,
                                   text=True, timeout=120).stdout
        self.assertIn("迁移报告", shown)
        self.assertEqual(len(re.findall(r'<tr class="chip"', shown)), 3)
        self.assertIn("cuda-kernel", shown)
        self.assertNotIn("<script>alert", shown)
        (self.project / "hostile.py").unlink()

    def test_only_new_findings_fail_a_check(self):
        baseline = Path(self.folder.name, "known.json")
        scan(self.project, "--write-baseline", str(baseline))
        self.assertEqual(scan(self.project, "--fail-on", "work", check=False).returncode, 1)
        self.assertEqual(scan(self.project, "--baseline", str(baseline), "--fail-on", "info", check=False).returncode, 0)
        added = self.project / "added.sh"
        added.write_text("#!/bin/bash\nmodule load cuda/12\n")
        self.assertEqual(scan(self.project, "--baseline", str(baseline), "--fail-on", "work", check=False).returncode, 1)
        # What is known stays known when its line moves.
        added.unlink()
        script = self.project / "run.sh"
        text = script.read_text()
        script.write_text(text.replace("\n", "\n\n\n", 1))
        self.assertEqual(scan(self.project, "--baseline", str(baseline), "--fail-on", "info", check=False).returncode, 0)
        script.write_text(text)
        baseline.write_text("{}")
        refused = scan(self.project, "--baseline", str(baseline), check=False)
        self.assertEqual(refused.returncode, 3)
        self.assertIn("report.wrong_baseline", refused.stderr)

    def test_only_changed_lines_count_since_a_revision(self):
        repository = Path(self.folder.name, "repository")
        shutil.copytree(self.project, repository)
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(repository)]
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
            subprocess.run([*git, *command], check=True, capture_output=True)
        check = ("--since", "HEAD", "--fail-on", "info")
        self.assertEqual(scan(repository, *check, check=False).returncode, 0)
        (repository / "run.sh").write_text((repository / "run.sh").read_text() + "nvidia-smi\n")
        self.assertEqual(scan(repository, *check, check=False).returncode, 1)
        subprocess.run([*git, "checkout", "-q", "."], check=True)
        (repository / "néw file.sh").write_text("nvidia-smi\n")
        self.assertEqual(scan(repository, *check, check=False).returncode, 1)
        self.assertEqual(scan(repository, "--since", "--output=x", check=False).returncode, 3)
        self.assertEqual(scan(self.folder.name + "/port" if Path(self.folder.name, "port").exists() else self.project, "--since", "HEAD",
                              check=False).returncode, 3)

    def test_every_rule_in_the_code_has_a_name(self):
        listed = set(re.findall(r'^    \{"([a-z-]+)", k', (ROOT / "src/port/rules.cpp").read_text(), re.MULTILINE))
        for chip in json.loads(scan(ROOT / "tests/port_files", "--to", CHIPS + ",hygon-dcu-k100-ai,nvidia-h20", "--json").stdout)["chips"]:
            for finding in chip["findings"]:
                self.assertIn(finding["rule"], listed)


if __name__ == "__main__":
    unittest.main()
