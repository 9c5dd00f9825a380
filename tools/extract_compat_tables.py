"""Reading clones and writing the tables of data/compat; part of tools/extract_compat."""

from __future__ import annotations

import io
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

COLUMNS = ("name", "status", "torch_min", "torch_max", "hardware", "dtypes", "vendor_name", "note")


@dataclass(frozen=True)
class Row:
    """One statement of a source. Versions are "2.7"; empty means no bound. Lists are comma separated."""

    name: str
    status: str
    torch_min: str = ""
    torch_max: str = ""
    hardware: str = ""
    dtypes: str = ""
    vendor_name: str = ""
    note: str = ""

    def cells(self) -> tuple[str, ...]:
        return (self.name, self.status, self.torch_min, self.torch_max, self.hardware, self.dtypes, self.vendor_name, self.note)


@dataclass(frozen=True)
class SourceRow:
    """One line of sources.tsv. A lower rank is the stronger evidence."""

    id: str
    file: str
    backend: str
    rank: int
    date: str
    confidence: str
    licence: str
    ref: str
    title: str

    def cells(self) -> tuple[str, ...]:
        return (self.id, self.file, self.backend, str(self.rank), self.date, self.confidence, self.licence, self.ref, self.title)


def version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


class Repo:
    """A clone read through git, never checked out."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path

    def _git(self, *arguments: str) -> bytes:
        return subprocess.run(["git", "-C", str(self.path), *arguments], check=True, capture_output=True).stdout

    def read(self, commit: str, path: str) -> str:
        return self._git("show", f"{commit}:{path}").decode("utf-8")

    def read_folder(self, commit: str, folder: str, suffix: str) -> dict[str, str]:
        pages: dict[str, str] = {}
        with tarfile.open(fileobj=io.BytesIO(self._git("archive", "--format=tar", commit, folder))) as archive:
            for member in archive.getmembers():
                handle = archive.extractfile(member) if member.name.endswith(suffix) else None
                if handle is not None:
                    pages[member.name] = handle.read().decode("utf-8")
        return dict(sorted(pages.items()))

    def grep(self, commit: str, needle: str, folders: list[str]) -> str:
        done = subprocess.run(["git", "-C", str(self.path), "grep", "-h", "-F", needle, commit, "--", *folders],
                              check=False, capture_output=True)
        return done.stdout.decode("utf-8", errors="replace")

    def date(self, commit: str) -> str:
        return self._git("log", "-1", "--format=%cs", commit).decode().strip()

    def ref(self, commit: str, path: str) -> str:
        short = self._git("rev-parse", "--short=12", commit).decode().strip()
        return f"{self.name}@{short}:{path}"


def write_table(path: Path, rows: list[Row]) -> int:
    lines = sorted({row.cells() for row in rows})
    for cells in lines:
        assert not any("\t" in cell or "\n" in cell for cell in cells), cells
    body = "".join("\t".join(cells) + "\n" for cells in lines)
    path.write_text("\t".join(COLUMNS) + "\n" + body, encoding="utf-8")
    return len(lines)


def write_sources(path: Path, sources: list[SourceRow]) -> None:
    header = "id\tfile\tbackend\trank\tdate\tconfidence\tlicence\tref\ttitle\n"
    body = "".join("\t".join(source.cells()) + "\n" for source in sorted(sources, key=lambda source: source.id))
    path.write_text(header + body, encoding="utf-8")


def merge_versions(by_version: dict[str, tuple[str, str, str, str]]) -> list[tuple[str, str, tuple[str, str, str, str]]]:
    """Joins neighbouring versions with equal statements into ranges."""
    ranges: list[tuple[str, str, tuple[str, str, str, str]]] = []
    for version in sorted(by_version, key=version_key):
        value = by_version[version]
        if ranges and ranges[-1][2] == value:
            ranges[-1] = (ranges[-1][0], version, value)
        else:
            ranges.append((version, version, value))
    return ranges
