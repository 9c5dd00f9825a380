"""Every entry of the runtime that the headers of an emulated machine name is there: a call of one that is not would not link."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main():
    library, machine, prefix = sys.argv[1:]
    defined = {line.split()[-1].split("@")[0] for line in subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()}
    named = {}
    for header in sorted((ROOT / f"src/emulate/{machine}/include").rglob("*.h")):
        for name in re.findall(rf"\b{prefix}\w+", header.read_text()):
            named.setdefault(name, header.name)
    assert len(named) > 20, f"only {len(named)} names with {prefix} in the headers of {machine}"
    missing = {name: header for name, header in named.items() if name not in defined}
    if missing:
        sys.exit("\n".join(f"{header}: {name} is in no library" for name, header in missing.items()))
    print(f"{len(named)} entries are there")


if __name__ == "__main__":
    main()
