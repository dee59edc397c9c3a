"""Reference sums in float16, every addition rounded, and orders that are as good."""

from __future__ import annotations

import math

import numpy as np


def running(values: np.ndarray) -> float:
    """From left to right, each addition rounded to float16."""
    return float(np.cumsum(values, dtype=np.float16)[-1]) if values.size else 0.0


def by_neighbors(values: np.ndarray) -> float:
    """Round by round, neighbors added; of a power of 2 of numbers.

    The same additions as "the sum of the first half plus that of the second", and so on down.
    """
    while values.size > 1:
        values = values[0::2] + values[1::2]
    return float(values[0]) if values.size else 0.0


def by_folding(values: np.ndarray) -> float:
    """Round by round, the second half added to the first, as a block of threads does it."""
    while values.size > 1:
        half = values.size // 2
        values = values[:half] + values[half:]
    return float(values[0]) if values.size else 0.0


def pairwise_orders(values: np.ndarray) -> tuple[float, ...]:
    """The two orders that the lesson allows, for a power of 2 of numbers."""
    return by_neighbors(values), by_folding(values)


def kahan(values: np.ndarray) -> float:
    """Kahan's compensated sum, all of it in float16."""
    total = lost = np.float16(0)
    for value in values:
        wanted = value + lost
        new = total + wanted
        lost = wanted - (new - total)
        total = new
    return float(total)


def exact(values: np.ndarray) -> float:
    """The true sum of the float16 numbers."""
    return math.fsum(values.astype(np.float64))


def exact_dot(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """The true dot product, and the sum of the sizes of its products, each exact in float64."""
    products = a.astype(np.float64) * b.astype(np.float64)
    return math.fsum(products), math.fsum(np.abs(products))
