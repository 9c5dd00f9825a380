#!/usr/bin/env python3
"""Makes tiny data in the layouts that trial projects read, from a fixed seed: the same for the original and for every port.

    make_data.py KIND FOLDER     where KIND is one of the functions below
"""
from __future__ import annotations

import pathlib
import random
import struct
import sys


def mnist(folder: pathlib.Path) -> None:
    """The four files of MNIST, 256 and 128 digits of noise around a bar whose place is the label."""
    chance = random.Random(1)
    raw = folder / "MNIST" / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    for name, count in (("train", 256), ("t10k", 128)):
        labels = bytes(chance.randrange(10) for _ in range(count))
        images = bytearray()
        for label in labels:
            for row in range(28):
                images += bytes(min(255, chance.randrange(60) + (180 if 2 * label + 4 <= row < 2 * label + 7 else 0)) for _ in range(28))
        (raw / f"{name}-images-idx3-ubyte").write_bytes(struct.pack(">4i", 2051, count, 28, 28) + bytes(images))
        (raw / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 2049, count) + labels)


def _image(chance: random.Random, width: int, height: int) -> bytes:
    """Pixels of three channels: a gradient with noise."""
    red, green = chance.randrange(40, 200), chance.randrange(40, 200)
    return bytes(value for y in range(height) for x in range(width)
                 for value in (min(255, red + x % 50), min(255, green + y % 50), chance.randrange(256)))


def _save(path: pathlib.Path, pixels: bytes, width: int, height: int) -> None:
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.frombytes("RGB", (width, height), pixels).save(path)


def image_folder(folder: pathlib.Path) -> None:
    """train/ and val/ with two classes of four pictures each."""
    chance = random.Random(2)
    for part in ("train", "val"):
        for kind in ("cat", "dog"):
            for index in range(4):
                _save(folder / part / kind / f"{index}.jpg", _image(chance, 80, 72), 80, 72)


def pictures(folder: pathlib.Path) -> None:
    """BSDS300's two folders, named as its archive names them."""
    chance = random.Random(3)
    for part in ("train", "test"):
        for index in range(4):
            _save(folder / "BSDS300" / "images" / part / f"{index}.jpg", _image(chance, 320, 300), 320, 300)


def cora(folder: pathlib.Path) -> None:
    """A citation graph of Cora's size in nodes, for its scripts take fixed ranges of them; few features."""
    chance = random.Random(4)
    folder.mkdir(parents=True, exist_ok=True)
    kinds = ("Case_Based", "Genetic_Algorithms", "Neural_Networks", "Probabilistic_Methods", "Reinforcement_Learning", "Rule_Learning", "Theory")
    nodes = list(range(1000, 1000 + 2708))
    lines = []
    for node in nodes:
        kind = node % len(kinds)
        features = ["1" if chance.random() < (0.5 if column % len(kinds) == kind else 0.05) else "0" for column in range(28)]
        features[kind] = "1"
        lines.append("\t".join((str(node), *features, kinds[kind])))
    (folder / "cora.content").write_text("\n".join(lines) + "\n")
    (folder / "cora.cites").write_text("".join(f"{chance.choice(nodes)}\t{chance.choice(nodes)}\n" for _ in range(5000)))


def words(folder: pathlib.Path) -> None:
    """train.txt, valid.txt and test.txt, the layout of WikiText."""
    chance = random.Random(5)
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = [f"w{index}" for index in range(80)]
    for name, count in (("train", 160), ("valid", 40), ("test", 40)):
        (folder / f"{name}.txt").write_text("".join(" ".join(chance.choices(vocabulary, k=12)) + "\n" for _ in range(count)))


def characters(folder: pathlib.Path) -> None:
    """input.txt, as the character model's preparation reads it."""
    chance = random.Random(6)
    folder.mkdir(parents=True, exist_ok=True)
    syllables = ["ba", "ri", "to", "ne", "lu", "ka", "si", "om", "er", "un"]
    text = "".join("".join(chance.choices(syllables, k=chance.randrange(1, 4))) + chance.choice((" ", " ", ", ", ".\n")) for _ in range(6000))
    (folder / "input.txt").write_text(text)


def chairs(folder: pathlib.Path) -> None:
    """FlyingChairs: pairs of pictures and the flow between them, a shift."""
    import numpy

    chance = random.Random(7)
    folder.mkdir(parents=True, exist_ok=True)
    width, height = 512, 384
    for index in range(1, 3):
        pixels = _image(chance, width, height)
        for part in (1, 2):
            (folder / f"{index:05d}_img{part}.ppm").write_bytes(b"P6\n%d %d\n255\n" % (width, height) + pixels)
        flow = numpy.full((height, width, 2), float(index), dtype=numpy.float32)
        (folder / f"{index:05d}_flow.flo").write_bytes(struct.pack("<f2i", 202021.25, width, height) + flow.tobytes())


def sentences(folder: pathlib.Path) -> None:
    """GLUE's MRPC as CSV files: two sentences and whether they say the same."""
    chance = random.Random(8)
    folder.mkdir(parents=True, exist_ok=True)
    for name, count in (("train", 32), ("dev", 16)):
        rows = ["label,sentence1,sentence2"]
        for _ in range(count):
            left = " ".join(chance.choices(("a", "the", "cat", "dog", "runs", "sleeps"), k=5))
            rows.append(f"{chance.choice(('equivalent', 'not_equivalent'))},{left},{left}")
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n")


KINDS = {function.__name__: function for function in (mnist, image_folder, pictures, cora, words, characters, chairs, sentences)}


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS:
        print(f"usage: make_data.py {'|'.join(KINDS)} FOLDER", file=sys.stderr)
        return 2
    KINDS[sys.argv[1]](pathlib.Path(sys.argv[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
