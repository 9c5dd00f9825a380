"""Reads and checks a device profile (schema starbridge.device_profile/1). An error names the file and the field."""
from __future__ import annotations

import dataclasses
import functools
import json
import os
from typing import Any

SCHEMA = "starbridge.device_profile/1"
VARIABLE = "STARBRIDGE_DEVICE_PROFILE"
DEVICES_MAX = 64
BACKENDS = {"npu": ("hccl", "ASCEND_RT_VISIBLE_DEVICES"), "mlu": ("cncl", "MLU_VISIBLE_DEVICES")}


class ProfileError(ImportError):
    """The profile is missing or malformed. An ImportError, for it appears while a plug-in is imported."""


@dataclasses.dataclass(frozen=True)
class Rule:
    name: str
    status: str
    dtypes: tuple[str, ...]
    source: str
    is_documentation_only: bool


@dataclasses.dataclass(frozen=True)
class Profile:
    chip: str
    chip_name: str
    vendor: str
    backend: str
    dist_backend: str
    memory_bytes: int
    device_count: int
    visible_devices_env: str
    properties: dict[str, Any]
    dtypes_unsupported: tuple[str, ...]
    rules: tuple[Rule, ...]
    fallback: str
    sources: dict[str, str]
    toolkit_version: str


class _Reader:
    """Takes fields out of a JSON object and says where one is wrong."""

    def __init__(self, path: str, value: Any, field: str = "") -> None:
        self.path, self.field = path, field
        if not isinstance(value, dict):
            raise self.error("", "must be an object")
        self.value = value

    def error(self, name: str, what: str) -> ProfileError:
        where = ".".join(part for part in (self.field, name) if part) or "the document"
        return ProfileError(f"{self.path}: {where}: {what}")

    def take(self, name: str, kind: type, default: Any = None) -> Any:
        if name not in self.value:
            if default is not None:
                return default
            raise self.error(name, "is missing")
        value = self.value[name]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error(name, f"must be {kind.__name__}, not {type(value).__name__}")
        return value

    def choice(self, name: str, allowed: tuple[str, ...]) -> str:
        value = self.take(name, str)
        if value not in allowed:
            raise self.error(name, f"must be one of {', '.join(allowed)}, not {value!r}")
        return value

    def integer(self, name: str, low: int, high: int) -> int:
        value = self.take(name, int)
        if not low <= value <= high:
            raise self.error(name, f"must be {low} to {high}, not {value}")
        return value

    def strings(self, name: str) -> tuple[str, ...]:
        values = self.take(name, list, [])
        for index, value in enumerate(values):
            if not isinstance(value, str):
                raise self.error(f"{name}[{index}]", "must be a string")
        return tuple(values)

    def object(self, name: str) -> _Reader:
        return _Reader(self.path, self.take(name, dict, {}), ".".join(part for part in (self.field, name) if part))


def _rules(reader: _Reader) -> tuple[Rule, ...]:
    rules = []
    for table, is_documentation in (("ops", False), ("dtype_limits", True)):
        section = reader.object(table)
        for name in sorted(section.value):
            row = section.object(name)
            if "::" not in name:
                raise row.error("", "an operator is named like aten::add")
            status = "runs" if is_documentation else row.choice("status", ("cpu_fallback", "unsupported", "native"))
            rules.append(Rule(name, status, row.strings("dtypes_ok"), row.take("source", str, "not stated"), is_documentation))
    return tuple(rules)


def parse(text: str, path: str) -> Profile:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ProfileError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    reader = _Reader(path, value)
    reader.choice("schema", (SCHEMA,))
    backend = reader.choice("backend", tuple(BACKENDS))
    dist_backend, visible = BACKENDS[backend]
    return Profile(
        chip=reader.take("chip", str), chip_name=reader.take("chip_name", str), vendor=reader.take("vendor", str),
        backend=backend, dist_backend=reader.choice("dist_backend", (dist_backend,)),
        memory_bytes=reader.integer("memory_bytes", 1, 2**50), device_count=reader.integer("device_count", 0, DEVICES_MAX),
        visible_devices_env=reader.choice("visible_devices_env", (visible,)), properties=dict(reader.object("properties").value),
        dtypes_unsupported=reader.strings("dtypes_unsupported"), rules=_rules(reader),
        fallback=reader.object("policy").choice("fallback", ("warn", "refuse")) if "policy" in reader.value else "warn",
        sources=dict(reader.object("sources").value), toolkit_version=reader.take("toolkit_version", str, "") if "toolkit_version" in value else "")


@functools.cache
def current() -> Profile:
    """The profile of this process."""
    path = os.environ.get(VARIABLE, "")
    if not path:
        raise ProfileError(f"no device profile: this is StarBridge's emulated plug-in. Set {VARIABLE} to a profile "
                           "(starbridge device-profile CHIP makes one), or use `starbridge verify`, which does it for you")
    try:
        with open(path, encoding="utf-8") as file:
            return parse(file.read(), path)
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path}: cannot read the device profile: {error}") from None


def visible_devices(profile: Profile) -> list[int]:
    """Which cards this process sees, by physical number. As the vendors' runtimes: the list ends at the first bad entry."""
    text = os.environ.get(profile.visible_devices_env)
    if text is None:
        return list(range(profile.device_count))
    visible: list[int] = []
    for part in text.split(","):
        part = part.strip()
        if not part.isdigit() or int(part) >= profile.device_count or int(part) in visible:
            break
        visible.append(int(part))
    return visible
