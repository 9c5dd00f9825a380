"""A corpus made by rule, so that nothing has to be downloaded: sums and their results as characters."""

import random

import torch
from torch.utils.data import Dataset

ALPHABET = "0123456789+= \n"


def make_corpus(lines: int, seed: int = 1) -> str:
    rng = random.Random(seed)
    parts = []
    for _ in range(lines):
        left, right = rng.randrange(50), rng.randrange(50)
        parts.append(f"{left}+{right}={left + right}\n")
    return "".join(parts)


class Characters(Dataset):
    def __init__(self, text: str, block_size: int):
        index = {character: number for number, character in enumerate(ALPHABET)}
        self.ids = torch.tensor([index[character] for character in text], dtype=torch.long)
        self.block_size = block_size

    def __len__(self):
        return (len(self.ids) - 1) // self.block_size

    def __getitem__(self, item):
        begin = item * self.block_size
        return self.ids[begin : begin + self.block_size], self.ids[begin + 1 : begin + 1 + self.block_size]
