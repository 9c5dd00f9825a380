"""The profile of an emulated card, read and checked."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

SCHEMA = "starbridge.device_profile/1"


class ProfileError(ImportError):
    """A profile that cannot be used; the message names the file and the field."""


@dataclass(frozen=True)
class Profile:
    chip: str
    chip_name: str
    vendor: str
    backend: str
    dist_backend: str
    memory_bytes: int
    device_count: int
    visible_devices_env: str
    properties: dict[str, Any] = field(default_factory=dict)
    dtypes_unsupported: tuple[str, ...] = ()
    rules: dict[str, tuple[bool, str]] = field(default_factory=dict)
    refuses_fallback: bool = False

    @staticmethod
    def read(path: str) -> Profile:
        try:
            with open(path, encoding="utf-8") as file:
                raw = json.load(file)
        except OSError as error:
            raise ProfileError(f"{path}: the device profile cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise ProfileError(f"{path}: the device profile is not JSON: {error}") from error
        return _Reader(path, raw).profile()

    def visible_devices(self) -> list[int]:
        """Cards of the machine that this process sees, by the chip's variable; all of them when it is not set."""
        value = os.environ.get(self.visible_devices_env)
        if value is None:
            return list(range(self.device_count))
        visible: list[int] = []
        for part in value.split(","):
            part = part.strip()
            # Like the runtimes: a bad entry hides itself and everything after it.
            if not part.isdigit() or int(part) >= self.device_count or int(part) in visible:
                break
            visible.append(int(part))
        return visible


class _Reader:
    def __init__(self, path: str, raw: Any) -> None:
        self.path = path
        self.raw = raw

    def wrong(self, name: str, why: str) -> ProfileError:
        return ProfileError(f"{self.path}: field \"{name}\" {why}; write a profile with `starbridge device-profile CHIP`")

    def get(self, name: str, kind: type, default: Any = None) -> Any:
        value = self.raw.get(name, default)
        if value is None:
            raise self.wrong(name, "is missing")
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.wrong(name, f"must be a {kind.__name__}")
        return value

    def profile(self) -> Profile:
        if not isinstance(self.raw, dict):
            raise self.wrong("(document)", "must be an object")
        if self.raw.get("schema") != SCHEMA:
            raise self.wrong("schema", f"must be {SCHEMA}")
        backend = self.get("backend", str)
        if backend not in ("npu", "mlu"):
            raise self.wrong("backend", "must be npu or mlu")
        count = self.get("device_count", int)
        memory = self.get("memory_bytes", int)
        if not 0 <= count <= 64:
            raise self.wrong("device_count", "must lie between 0 and 64")
        if memory <= 0:
            raise self.wrong("memory_bytes", "must be positive")
        return Profile(
            chip=self.get("chip", str), chip_name=self.get("chip_name", str), vendor=self.get("vendor", str), backend=backend,
            dist_backend=self.get("dist_backend", str), memory_bytes=memory, device_count=count,
            visible_devices_env=self.get("visible_devices_env", str), properties=self.get("properties", dict, {}),
            dtypes_unsupported=tuple(self.get("dtypes_unsupported", list, [])), rules=self.rules(),
            refuses_fallback=self.get("policy", dict, {}).get("fallback", "warn") == "refuse",
        )

    def rules(self) -> dict[str, tuple[bool, str]]:
        rules: dict[str, tuple[bool, str]] = {}
        for name, row in self.get("ops", dict, {}).items():
            if not isinstance(row, dict) or row.get("status") not in ("cpu_fallback", "unsupported"):
                raise self.wrong(f"ops.{name}.status", "must be cpu_fallback or unsupported")
            rules[name] = (row["status"] == "unsupported", str(row.get("source", "")))
        # The emulated device reaches an operator through its out= overload even where a plug-in has the plain one, so a missing
        # out= overload counts only when the plain operator is missing too.
        plain = {name.split(".")[0] for name in rules if not _is_out_overload(name)}
        return {name: rule for name, rule in rules.items() if not _is_out_overload(name) or name.split(".")[0] in plain}


def _is_out_overload(name: str) -> bool:
    overload = name.partition(".")[2]
    return overload.endswith("out") or overload.endswith("grad_input") or overload in ("values", "indices", "U", "L")
