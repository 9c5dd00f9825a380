"""What an earlier docs/port-trials.md says of repositories that were not run again, so that a part can be measured anew."""
from __future__ import annotations

import pathlib
import re


class EarlierPage:
    """Rows of the page's tables by repository, or by id of trial."""

    def __init__(self, path: pathlib.Path | None) -> None:
        self.repositories: dict[str, list[str]] = {}  # cells behind the name
        self.troubles: list[tuple[str, str]] = []  # id of trial, line
        self.not_on_reference: dict[str, str] = {}
        self.failing: dict[str, int] = {}  # tests that fail on the reference, by repository
        self.missing: list[str] = []
        section = ""
        for line in path.read_text(encoding="utf-8").splitlines() if path else []:
            cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("| ") else []
            if line.startswith("## "):
                section = line[3:]
            elif cells and cells[0] not in ("repository", "row", "all"):
                if section == "Per repository" and cells[1] != "0":
                    self.repositories[cells[0]] = cells[1:]
                elif section == "What does not agree":
                    self.troubles.append((cells[0], line))
                elif section == "What does not run on the reference":
                    self.not_on_reference[cells[0]] = cells[1]
            elif line.startswith("Tests that fail on the reference too"):
                self.failing = {name: int(count) for name, count in re.findall(r"([\w.-]+) (\d+)[,.]", line)}
            elif line.startswith("Not run: "):
                self.missing = line[len("Not run: "):].rstrip(".").split(", ")
