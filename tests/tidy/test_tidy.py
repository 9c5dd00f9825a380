"""The rules of the house, checked on the tree itself."""

import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# A room may include itself and the rooms named here (ARCHITECTURE.md draws the arrows).
ALLOWED = {
    "base": set(),
    "catalog": {"base"},
    "pool": {"base", "catalog"},
    "store": {"base", "catalog", "pool"},
    "weights": {"base"},
    "emulate": set(),
    "front": set(),
    "kernel": {"front", "base", "catalog"},
    "port": {"base", "catalog"},
    "report": {"base", "catalog", "port"},
    "verify": {"base", "catalog", "pool", "weights"},
    "sched": {"base", "catalog", "pool"},
    "engine": {"base", "catalog", "pool", "store", "port"},
    "meter": {"base", "catalog", "pool", "store"},
    "api": {"base", "catalog", "pool", "store", "port", "sched", "engine", "meter"},
    "cli": {"base", "catalog", "pool", "store", "weights", "kernel", "port", "report", "verify", "sched", "engine", "meter", "api"},
}
LINES_MAX = 500


def sources():
    return sorted(p for p in (ROOT / "src").rglob("*") if p.suffix in (".h", ".cpp"))


def tracked():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:  # an exported tree has no git
        return [p for p in ROOT.rglob("*") if p.is_file() and "build" not in p.parts and ".git" not in p.parts]
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


class Tidy(unittest.TestCase):
    def test_rooms_include_only_rooms_below(self):
        for path in sources():
            room = path.relative_to(ROOT / "src").parts[0]
            for include in re.findall(r'#include "(\w+)/', path.read_text()):
                if include != room and include in ALLOWED:
                    self.assertIn(include, ALLOWED[room], f"{path.relative_to(ROOT)} includes {include}/")

    def test_files_stay_short(self):
        for path in tracked():
            if path.suffix in (".h", ".cpp", ".py"):
                count = len(path.read_text(errors="replace").splitlines())
                self.assertLessEqual(count, LINES_MAX, f"{path.relative_to(ROOT)} has {count} lines")

    def test_headers_are_included_once(self):
        for path in sources():
            if path.suffix == ".h":
                self.assertIn("#pragma once", path.read_text(), path)

    def test_error_codes_are_listed_and_used(self):
        listed = set(re.findall(r'SB_ERROR_CODE\("([\w.]+)"', (ROOT / "src/base/error_codes.def").read_text()))
        used = set()
        for path in sources():
            used |= set(re.findall(r'Error\(\s*"(\w+\.\w+)"', path.read_text()))
            used |= set(re.findall(r'(?:error|refused)\(\s*"(\w+\.\w+)"', path.read_text(), re.IGNORECASE))
        self.assertEqual(used - listed, set(), "codes that error_codes.def does not list")

    def test_errors_page_is_in_step(self):
        rows = re.findall(r'SB_ERROR_CODE\("([\w.]+)", k(\w+), (\d+), "([^"]*)"', (ROOT / "src/base/error_codes.def").read_text())
        page = (ROOT / "docs/errors.md").read_text()
        for code, _, status, meaning in rows:
            self.assertIn(f"`{code}`", page, "run tools/write_error_docs")
            self.assertIn(meaning, page, "run tools/write_error_docs")

    def test_every_route_is_documented(self):
        document = (ROOT / "docs/openapi.yaml").read_text()
        routes = re.findall(r'\{"(GET|POST)",\s*"(/[^"]*)"', (ROOT / "src/api/routes.cpp").read_text())
        self.assertGreaterEqual(len(routes), 10)
        for method, pattern in routes:
            block = re.search(rf"^  {re.escape(pattern)}:\n((?:    .*\n|\n)*)", document, re.MULTILINE)
            self.assertIsNotNone(block, f"docs/openapi.yaml lacks {pattern}")
            self.assertIn(f"    {method.lower()}:", block.group(1), f"docs/openapi.yaml lacks {method} {pattern}")

    def test_console_speaks_both_languages(self):
        page = (ROOT / "console/index.html").read_text()
        english = re.search(r"en: \{(.*?)states:", page, re.DOTALL).group(1)
        chinese = re.search(r"zh: \{(.*?)states:", page, re.DOTALL).group(1)
        keys = lambda block: set(re.findall(r"(\w+): \"", block))
        self.assertEqual(keys(english), keys(chinese))

    def test_nothing_points_to_a_developers_machine(self):
        for path in tracked():
            if path.suffix in (".h", ".cpp", ".py", ".md", ".yaml", ".sh", ".cmake", ".txt", ""):
                content = path.read_text(errors="replace")
                self.assertIsNone(re.search(r"/home/\w+/", content.replace(r"/home/\w+/", "")), path)

    def test_pipes_of_scripts_are_read_to_their_end(self):
        """Under pipefail a reader that leaves early ends the writer with SIGPIPE, now and then, and the script with it."""
        early = re.compile(r"\|\s*(head\b|grep\s+-\w*[qm]|sed\s+[^|]*\dq\b)")
        self.assertTrue(early.search("starbridge chips | head -n 12") and early.search("x | grep -q y"))
        for path in tracked():
            if path.suffix not in (".sh", "") or not path.read_bytes().startswith(b"#!"):
                continue
            script = path.read_text()
            if "pipefail" in script:
                self.assertIsNone(early.search(script), path)

    def test_python_compiles(self):
        for path in tracked():
            if path.suffix == ".py":
                compile(path.read_text(), str(path), "exec")


if __name__ == "__main__":
    unittest.main()
