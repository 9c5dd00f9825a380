"""Writes what the device did when the process ends (STARBRIDGE_DEVICE_REPORT, schema starbridge.device_report/1)."""
from __future__ import annotations

import atexit
import json
import os
import sys
from typing import Any

from starbridge_emulated import _C, runtime
from starbridge_emulated.profile import Profile, visible_devices

VARIABLE = "STARBRIDGE_DEVICE_REPORT"
OWNER_VARIABLE = "STARBRIDGE_DEVICE_REPORT_OWNER"  # set by the first process, so that its children know they are children
SCHEMA = "starbridge.device_report/1"
KINDS = ("executed", "fell_back", "refused")


def collect(profile: Profile) -> dict[str, Any]:
    devices = []
    for index, physical in enumerate(visible_devices(profile)):
        counts = _C.memory(index)
        devices.append({"index": index, "physical_index": physical, "memory_bytes": counts["capacity_bytes"],
                        "allocated_bytes": counts["allocated_bytes"], "peak_bytes": counts["allocated_bytes_max"],
                        "allocation_count": counts["allocations"], "out_of_memory_count": counts["out_of_memory"]})
    operators: dict[str, Any] = {}
    for op, dtype, *counted in _C.counts():
        row = operators.setdefault(op, {"executed": 0, "fell_back": 0, "refused": 0, "dtypes": {}})
        row["dtypes"][dtype] = dict(zip(KINDS, counted, strict=True))
        for kind, count in row["dtypes"][dtype].items():
            row[kind] += count
    totals = {kind: sum(row[kind] for row in operators.values()) for kind in KINDS}
    return {"schema": SCHEMA, "emulated": True, "chip": profile.chip, "chip_name": profile.chip_name, "backend": profile.backend,
            "pid": os.getpid(), "program": sys.argv[0] if sys.argv else "", "devices": devices, "totals": totals, "operators": operators}


def write(profile: Profile, path: str, owner: int) -> None:
    is_owner = os.getpid() == owner
    if not is_owner:
        if not runtime.is_initialized():
            return  # a child that never touched the device has nothing to say
        path = f"{path}.{os.getpid()}"
    temporary = f"{path}.part{os.getpid()}"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(collect(profile), file, indent=1)
        file.write("\n")
    os.replace(temporary, path)


def start(profile: Profile) -> None:
    path = os.environ.get(VARIABLE)
    if not path:
        return
    path = os.path.abspath(path)
    owner = int(os.environ.setdefault(OWNER_VARIABLE, str(os.getpid())))
    atexit.register(write, profile, path, owner)
