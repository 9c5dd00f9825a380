"""torch.npu / torch.mlu: random numbers, the CPU's streams under the device's names."""
from __future__ import annotations

from typing import Any

import torch

from starbridge_emulated import _C
from starbridge_emulated.runtime import _index, _lazy_init

default_generators: tuple[torch.Generator, ...] = ()


def _generator(device: Any = None) -> torch.Generator:
    return default_generators[_index(device)]


def manual_seed(seed: int) -> None:
    if default_generators:
        _generator().manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    for generator in default_generators:
        generator.manual_seed(int(seed))


def seed() -> None:
    _generator().seed()


def seed_all() -> None:
    manual_seed_all(_generator().seed())


def initial_seed() -> int:
    return _generator().initial_seed()


def get_rng_state(device: Any = None) -> torch.Tensor:
    _lazy_init()
    return _generator(device).get_state()


def get_rng_state_all() -> list[torch.Tensor]:
    return [get_rng_state(index) for index in range(_C.device_count())]


def set_rng_state(new_state: torch.Tensor, device: Any = None) -> None:
    _lazy_init()
    _generator(device).set_state(new_state)


def set_rng_state_all(new_states: Any) -> None:
    for index, state in enumerate(new_states):
        set_rng_state(state, index)
