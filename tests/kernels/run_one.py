"""One program of the corpus, a file or a folder with main.cpp: `right` must pass its own check, `wrong` must be found wrong at the marked lines.

A line that ends with "// EXPECT rule" is where the rule must be reported (either side of a race); "// EXPECT-ALSO rule" allows one more.
"// OPTIONS words" are further options of the command, SB_TEST_OPTIONS in the environment yet others."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSTALLATION = os.environ.get("SB_KERNEL_TEST_ROOT", str(ROOT))  # a mutant's, when it is tested
STARBRIDGE = os.environ.get("STARBRIDGE_BIN", str(ROOT / "build/dev/src/cli/starbridge"))


def starbridge(verb, program, *more):
    arguments = [STARBRIDGE, "kernel", verb, "--json", str(program), *more]
    done = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, "STARBRIDGE_ROOT": INSTALLATION}, timeout=110)
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"no JSON from {' '.join(arguments)}: {done.stdout}{done.stderr}")


def options(program):
    text = (program / "main.cpp" if program.is_dir() else program).read_text()
    found = re.search(r"// OPTIONS (.*)", text)
    return (found[1].split() if found else []) + os.environ.get("SB_TEST_OPTIONS", "").split()


def right(program):
    code, report = starbridge("run", program, *options(program))
    if code != 0:
        sys.exit(f"run ended with {code}\n{json.dumps(report, indent=1)}")
    code, report = starbridge("check", program, *options(program))
    if code != 0:
        sys.exit(f"check ended with {code}: {json.dumps(report, indent=1)}")


def wrong(program):
    expected = {}
    for number, line in enumerate(program.read_text().splitlines(), 1):
        for rule in re.findall(r"// EXPECT ([\w-]+)", line):
            expected.setdefault(rule, set()).add(number)
    if not expected:
        sys.exit("the program expects nothing")
    limit = [] if "--time-limit" in options(program) else ["--time-limit", "10"]
    code, report = starbridge("check", program, *limit, *options(program))
    found = {}
    for finding in report["findings"]:
        lines = found.setdefault(finding["rule"], set())
        for side in ("at", "other"):
            if side in finding and Path(finding[side]["file"]).name == program.name:
                lines.add(finding[side]["line"])
    errors = {finding["rule"] for finding in report["findings"] if finding["severity"] == "error"}
    for rule, lines in expected.items():
        if rule not in found:
            sys.exit(f"{rule} was not found; found {found}\n{report['output']}")
        if rule not in ("leak", "union-shape") and not lines & found[rule]:
            sys.exit(f"{rule} was found at lines {sorted(found[rule])}, not at {sorted(lines)}")
    allowed = set(re.findall(r"// EXPECT-ALSO ([\w-]+)", program.read_text()))
    extra = errors - set(expected) - allowed
    if extra:
        sys.exit(f"found more than expected: {sorted(extra)}: {found}")
    if code != (1 if errors else 0):
        sys.exit(f"check ended with {code}")


if __name__ == "__main__":
    {"right": right, "wrong": wrong}[sys.argv[1]](Path(sys.argv[2]))
