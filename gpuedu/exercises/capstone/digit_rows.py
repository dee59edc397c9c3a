"""The task: images of three handwritten digits in a row, and what they are called."""

from __future__ import annotations

import io
import json
from functools import lru_cache

import numpy as np

NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
"""Of the digits."""
DIGITS = 3
"""In a row."""


def task_files(seed: int, *, train: int, held_out: int) -> dict[str, bytes]:
    """The store's files: of each split an image (8, 24) uint8 by sample, and all captions.

    Digits of the two splits are different pictures; which are in a row is drawn by the seed.
    """
    draws = np.random.default_rng(seed)
    pixels, labels = _digits()
    order = draws.permutation(len(labels))
    halves = {"train": order[: len(order) // 2], "held_out": order[len(order) // 2 :]}
    files = {}
    for split, count in (("train", train), ("held_out", held_out)):
        chosen = draws.choice(halves[split], (count, DIGITS))
        captions = [",".join(NAMES[label] for label in row) for row in labels[chosen]]
        files[f"{split}/captions.json"] = json.dumps(captions).encode()
        for index, row in enumerate(chosen):
            image = np.concatenate(pixels[row], axis=1)
            files[f"{split}/{index:04d}.npy"] = _as_file(image)
    return files


def _as_file(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@lru_cache(maxsize=1)
def _digits() -> tuple[np.ndarray, np.ndarray]:
    """Pixels (1797, 8, 8) from 0 to 15 as uint8, and labels."""
    from gpuedu.training.digits import read_digits

    pixels, labels = read_digits()
    return np.minimum(pixels, 15).astype(np.uint8).reshape(-1, 8, 8), labels.astype(int)
