#!/usr/bin/env python3
"""Runs the code cells of a notebook in order, without the lines that are IPython's (magics, shell commands).

    run_notebook.py FILE.ipynb [CELLS] [NAME=VALUE...]

CELLS: how many code cells from the top; all otherwise. NAME=VALUE takes the place of what is assigned to NAME, to make a run short.
"""
from __future__ import annotations

import json
import re
import sys


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    values = dict(word.split("=", 1) for word in sys.argv[2:] if "=" in word)
    counts = [int(word) for word in sys.argv[2:] if word.isdigit()]
    names: dict[str, object] = {"__name__": "__main__"}
    for index, cell in enumerate(cells[: counts[0] if counts else None]):
        lines = "".join(cell["source"]).splitlines()
        text = "\n".join("pass" if line.lstrip().startswith(("%", "!")) else line for line in lines)
        for name, value in values.items():
            text = re.sub(rf"^{re.escape(name)} *=(?!=).*$", f"{name} = {value}", text, flags=re.MULTILINE)
        # Beside the notebook's name, so that what its cells read out of tensors counts as the project's.
        exec(compile(text, f"{sys.argv[1]}.{index}.py", "exec"), names)


if __name__ == "__main__":
    import os

    os.environ.setdefault("MPLBACKEND", "agg")
    sys.path.insert(0, os.getcwd())
    main()
