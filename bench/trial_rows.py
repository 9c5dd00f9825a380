"""Rows of a list of trials: tab-separated fields, "#" in front of remarks, trailing empty fields left out."""
from __future__ import annotations

import csv
import pathlib


def read_rows(path: pathlib.Path, fields: tuple[str, ...], required: tuple[str, ...]) -> list[list[str]]:
    """Each row with all its fields, the first of which tells rows apart. SystemExit names a row that is wrong."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row and not row[0].startswith("#")]
    for number, row in enumerate(rows):
        row += [""] * (len(fields) - len(row))
        if len(row) != len(fields) or not all(row[fields.index(field)] for field in required):
            raise SystemExit(f"{path}: row {number + 1} ({row[0]!r}): {len(fields)} fields are expected: {', '.join(fields)}")
    if len({row[0] for row in rows}) != len(rows):
        raise SystemExit(f"{path}: an id stands twice")
    return rows
