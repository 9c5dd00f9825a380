"""Gives the sources of random numbers that a program may leave unseeded the same beginning on both sides of a verification.

What a program seeds itself comes later and wins. Left alone: generators a program makes of its own and asks for entropy
(`random.Random()`, `numpy.random.RandomState()`, `torch.Generator().seed()`), `secrets`, `os.urandom` and uuid.
"""

from __future__ import annotations

import functools
import random
from typing import Any

from starbridge_hooks import after_import


def install(seed: int) -> None:
    random.seed(seed)
    after_import("torch", lambda torch: _seed_torch(torch, seed))
    after_import("numpy.random", lambda numpy_random: _seed_numpy(numpy_random, seed))


def _seed_torch(torch: Any, seed: int) -> None:
    # Not torch.manual_seed: it would touch devices the program has not asked for yet.
    torch.default_generator.manual_seed(seed)
    draw = random.Random(seed)

    def seed_all() -> int:
        chosen = draw.getrandbits(63)
        torch.manual_seed(chosen)
        return chosen

    torch.seed = torch.random.seed = seed_all


def _seed_numpy(numpy_random: Any, seed: int) -> None:
    numpy_random.seed(seed % 2**32)
    default_rng = numpy_random.default_rng
    draw = random.Random(seed)

    @functools.wraps(default_rng)
    def repeatable(seed: Any = None) -> Any:
        return default_rng(draw.getrandbits(64) if seed is None else seed)

    numpy_random.default_rng = repeatable
