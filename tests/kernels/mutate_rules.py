"""Rules switched off one at a time: the violating programs of a machine must no longer pass as found.

  mutate_rules.py FOLDER     # tests/kernels/MACHINE"""

import os
import re
import subprocess
import sys
from pathlib import Path


def rules_off(folder):
    """What was not noticed, one line each, and how many rules there are in all."""
    run_one = [sys.executable, str(Path(__file__).parent / "run_one.py"), "wrong"]
    unnoticed, count = [], 0
    for program in sorted(path for path in (Path(folder) / "wrong").iterdir() if path.suffix in (".cu", ".mlu", ".asc")):
        for rule in sorted(set(re.findall(r"// EXPECT ([\w-]+)", program.read_text()))):
            count += 1
            done = subprocess.run([*run_one, str(program)], capture_output=True, text=True, timeout=200,
                                  env={**os.environ, "SB_TEST_OPTIONS": f"--without {rule}"})
            if done.returncode == 0 or f"{rule} was not found" not in done.stdout + done.stderr:
                unnoticed.append(f"{rule} in {program.name}: {done.stdout}{done.stderr}")
    return unnoticed, count


def main():
    unnoticed, count = rules_off(sys.argv[1])
    print(f"{count - len(unnoticed)} of {count} switched-off rules noticed")
    if unnoticed or count == 0:
        sys.exit("\n".join(unnoticed) or f"no rule in {sys.argv[1]}")


if __name__ == "__main__":
    main()
