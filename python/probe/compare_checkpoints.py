"""Compares the tensors of two checkpoints by name and prints JSON. Nothing in a checkpoint is executed (weights_only)."""

from __future__ import annotations

import json
import sys
from typing import Any

import torch


def tensors_of(value: Any, name: str = "") -> dict[str, torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return {name: value}
    found: dict[str, torch.Tensor] = {}
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else ()
    for key, inner in items:
        found.update(tensors_of(inner, f"{name}.{key}" if name else str(key)))
    return found


def compare(left: torch.Tensor, right: torch.Tensor) -> dict[str, Any]:
    if left.shape != right.shape or left.dtype != right.dtype:
        return {"problem": f"{tuple(left.shape)} {left.dtype} against {tuple(right.shape)} {right.dtype}"}
    a, b = left.double().flatten(), right.double().flatten()
    if a.numel() == 0:
        return {"max_abs": 0.0, "max_rel": 0.0, "cosine": 1.0}
    if not torch.equal(torch.isnan(a), torch.isnan(b)):
        return {"problem": "NaN at different places"}
    a, b = torch.nan_to_num(a), torch.nan_to_num(b)
    difference = (a - b).abs()
    # Relative to the tensor's own size: single elements near zero say nothing.
    scale = max(a.abs().max().item(), 1e-30)
    norm = (a.norm() * b.norm()).item()
    return {"max_abs": difference.max().item(), "max_rel": difference.max().item() / scale, "cosine": 1.0 if norm == 0 else (torch.dot(a, b).item() / norm)}


def main() -> None:
    left = tensors_of(torch.load(sys.argv[1], map_location="cpu", weights_only=True))
    right = tensors_of(torch.load(sys.argv[2], map_location="cpu", weights_only=True))
    rows = []
    for name in sorted(set(left) | set(right)):
        if name not in left or name not in right:
            rows.append({"name": name, "problem": "only in the port" if name in right else "missing in the port"})
        else:
            rows.append({"name": name, **compare(left[name], right[name])})
    json.dump(rows, sys.stdout)


main()
