"""Inputs and truth of the two exercises that add up a block."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.contract import Inputs, Plain

SHOWS_NOTHING = "the sums are not right here"


def sum_inputs(rng: np.random.Generator, n: int, blocks: int, threads: int) -> dict[str, Any]:
    """Whole numbers of both signs in float32, so that every order of adding is exact."""
    return {
        "ask": "sums",
        "x": rng.integers(-900, 1000, n).astype(np.float32),
        "sums": -rng.integers(300_000, 900_000, blocks).astype(np.float32),  # no sum is that small
        "grid": blocks,
        "block": threads,
    }


def block_sums(inputs: Inputs) -> np.ndarray:
    """(grid,) float64: the sum of each block's elements; a block without any has 0.

    >>> block_sums({"x": np.ones(40), "grid": 3, "block": 32}).tolist()
    [32.0, 8.0, 0.0]
    """
    padded = np.zeros(inputs["grid"] * inputs["block"])
    padded[: inputs["x"].size] = inputs["x"]
    return padded.reshape(inputs["grid"], inputs["block"]).sum(axis=1)


def full_blocks_wrong(inputs: Inputs, observed: Plain) -> bool:
    """Whether there are blocks that are filled, and not one of them has the right sum."""
    full = inputs["x"].size // inputs["block"]
    return full > 0 and not (observed["sums"] == block_sums(inputs))[:full].any()
