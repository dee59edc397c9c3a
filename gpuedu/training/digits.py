"""Handwritten digits of 8x8 pixels: real data that comes with scikit-learn."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

from gpuedu.training.data import DataSet, Split
from gpuedu.training.seeds import generator

HELD_OUT = 360
"""Samples that are held out from training, of 1797."""


def load_digits(*, seed: int = 0) -> DataSet:
    """The digits, split by the seed into 1437 samples to train on and 360 held out.

    Inputs are (N, 1, 8, 8) float32 from 0 to 1, targets (N,) int64. Nothing is downloaded. Source:
    scikit-learn's copy of the test set of "Optical Recognition of Handwritten Digits" (UCI Machine
    Learning Repository).

    >>> digits = load_digits()
    >>> tuple(digits.train.inputs.shape), tuple(digits.held_out.inputs.shape)
    ((1437, 1, 8, 8), (360, 1, 8, 8))
    """
    pixels, labels = read_digits()
    images = torch.from_numpy(pixels).float().div(16).reshape(-1, 1, 8, 8)
    order = torch.randperm(len(images), generator=generator(seed))
    samples = Split(images[order], torch.from_numpy(labels).long()[order])
    return DataSet(
        name="digits",
        train=Split(samples.inputs[HELD_OUT:], samples.targets[HELD_OUT:]),
        held_out=samples.take(HELD_OUT),
        classes=tuple("0123456789"),
        source="scikit-learn's digits (UCI, Optical Recognition of Handwritten Digits)",
    )


def read_digits() -> tuple[np.ndarray, np.ndarray]:
    """Pixels (1797, 64) from 0 to 16, and labels (1797,)."""
    # Its file, where it lies as in all releases so far: importing scikit-learn takes seconds.
    package = find_spec("sklearn")
    for folder in (package.submodule_search_locations or []) if package else []:
        path = Path(folder) / "datasets" / "data" / "digits.csv.gz"
        if path.is_file():
            table = np.loadtxt(path, delimiter=",")
            return table[:, :-1], table[:, -1]
    from sklearn import datasets

    return datasets.load_digits(return_X_y=True)
