"""What known mistakes in an augmentation would give, each with a sentence that names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.compare import Misconception
from gpuedu.exercises.feed_the_gpu.augment_on_device.augmentation import Batch, augment_slowly


def _with(**changed: Callable[[Batch], np.ndarray]) -> Callable[..., np.ndarray]:
    """What somebody gets who takes something else for one of the fields."""

    def gives(**batch: Any) -> np.ndarray:
        return augment_slowly({**batch, **{name: of(batch) for name, of in changed.items()}})

    return gives


def _crop_of_the_mirrored(**batch: Any) -> np.ndarray:
    flips = batch["flips"][:, None, None, None]
    mirrored = np.where(flips, batch["pictures"][..., ::-1], batch["pictures"])
    return augment_slowly({**batch, "pictures": mirrored, "flips": np.zeros_like(batch["flips"])})


def _upside_down(**batch: Any) -> np.ndarray:
    plain = augment_slowly({**batch, "flips": np.zeros_like(batch["flips"])})
    return np.where(batch["flips"][:, None, None, None], plain[:, :, ::-1], plain)


def _cropped(batch: Batch) -> np.ndarray:
    """The right bytes, not normalised."""
    ones = {"mean": np.zeros_like(batch["mean"]), "std": np.ones_like(batch["std"])}
    return augment_slowly({**batch, **ones}) * 255


MISTAKES = (
    Misconception(_with(flips=lambda b: np.zeros_like(b["flips"])), "No picture is mirrored."),
    Misconception(
        _with(flips=lambda b: np.ones_like(b["flips"])),
        "All are mirrored. Whose flag decides for picture i?",
    ),
    Misconception(_with(flips=lambda b: ~b["flips"]), "Those are mirrored that should not be."),
    Misconception(
        _with(flips=lambda b: np.full_like(b["flips"], b["flips"][0])),
        "The first picture's flag decides for all.",
    ),
    Misconception(_upside_down, "That is upside down. Which axis runs from left to right?"),
    Misconception(
        _crop_of_the_mirrored,
        "That is cut out of the mirrored picture. `lefts` counts from the left of the picture as "
        "it came; it is the crop that is mirrored.",
    ),
    Misconception(
        _with(
            tops=lambda b: np.minimum(b["lefts"], b["pictures"].shape[2] - b["size"]),
            lefts=lambda b: np.minimum(b["tops"], b["pictures"].shape[3] - b["size"]),
        ),
        "Rows and columns are exchanged: `tops` belongs to the rows.",
    ),
    Misconception(
        _with(
            tops=lambda b: np.full_like(b["tops"], b["tops"][0]),
            lefts=lambda b: np.full_like(b["lefts"], b["lefts"][0]),
        ),
        "All are cropped where the first one is.",
    ),
    Misconception(
        _with(tops=lambda b: np.zeros_like(b["tops"]), lefts=lambda b: np.zeros_like(b["lefts"])),
        "All are cropped at the top left.",
    ),
    Misconception(lambda **b: _cropped(b) / 255, "Those are the shares. And mean and `std`?"),
    Misconception(
        lambda **b: (
            (_cropped(b) - b["mean"][:, None, None].astype(float))
            / b["std"][:, None, None].astype(float)
        ),
        "`mean` and `std` are of shares, from 0 to 1. The pictures are bytes.",
    ),
    Misconception(
        lambda **b: _cropped(b) / 255 - b["mean"].astype(float)[:, None, None],
        "The mean is taken away; `std` is missing.",
    ),
    Misconception(
        lambda **b: (
            _cropped(b) / 255 / b["std"].astype(float)[:, None, None]
            - b["mean"].astype(float)[:, None, None]
        ),
        "First the mean is taken away, then comes `std`.",
    ),
)
