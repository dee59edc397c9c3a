"""Inputs and truth of the two exercises that add up a block."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.contract import Inputs, Plain

SHOWS_NOTHING = "the sums are not right here"


def sum_inputs(rng: np.random.Generator, n: int, blocks: int, threads: int) -> dict[str, Any]:
    """Eighths of both signs in float32: no order of adding rounds, and no integer holds them."""
    return {
        "ask": "sums",
        "x": eighths(rng, n),
        "sums": -rng.integers(300_000, 900_000, blocks).astype(np.float32),  # no sum is that small
        "grid": blocks,
        "block": threads,
    }


def eighths(rng: np.random.Generator, n: int) -> np.ndarray:
    """(n,) float32, from -900 to 1000 in steps of 1/8."""
    return (rng.integers(-7200, 8000, n) / 8).astype(np.float32)


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
