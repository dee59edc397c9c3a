"""Random crops and flips of a batch: what they should give, one picture after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Batch = Mapping[str, Any]
"""``pictures`` (N, C, H, W) uint8; ``flips`` (N,) bool; ``tops``, ``lefts`` (N,) int64; ``size``;
``mean``, ``std`` (C,) float32."""


def augment_slowly(batch: Batch) -> np.ndarray:
    """Crop each picture at its place, mirror the crop where told, normalize: float64."""
    size, done = batch["size"], []
    for picture, flip, top, left in zip(
        batch["pictures"], batch["flips"], batch["tops"], batch["lefts"], strict=True
    ):
        crop = picture[:, top : top + size, left : left + size]
        done.append(crop[:, :, ::-1] if flip else crop)
    return normalize(np.stack(done), batch)


def normalize(pictures: np.ndarray, batch: Batch) -> np.ndarray:
    """Bytes to shares, less the mean, over the standard deviation of each channel: float64."""
    mean, std = (batch[name].astype(np.float64)[:, None, None] for name in ("mean", "std"))
    return (pictures / 255 - mean) / std


def random_batch(
    rng: np.random.Generator,
    count: int,
    *,
    height: int,
    width: int,
    size: int,
    flips: bool = True,
    channels: int = 3,
) -> dict[str, Any]:
    """A batch with random pictures; crops at both ends of what is possible are among them."""
    tops = rng.integers(0, height - size + 1, count)
    lefts = rng.integers(0, width - size + 1, count)
    mirrored = rng.random(count) < 0.5
    if count > 3:
        tops[:2], lefts[1:3] = (0, height - size), (0, width - size)
        mirrored[:2] = True, False
    return {
        "pictures": rng.integers(0, 256, (count, channels, height, width), np.uint8),
        "flips": mirrored if flips else np.zeros(count, bool),
        "tops": tops,
        "lefts": lefts,
        "size": size,
        "mean": rng.uniform(0.2, 0.6, channels).astype(np.float32),
        "std": rng.uniform(0.1, 0.4, channels).astype(np.float32),
    }
