"""Outlines of four shapes of the same area, as tests of points.

Each takes coordinates ``x`` and ``y`` (arrays of one shape) and ``r`` (broadcasts with them), the
radius of the disc that has the shape's area, and says which points are inside. Only sums, products
and comparisons are used, which every machine computes the same way.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Outline = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def is_in_disc(x: np.ndarray, y: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Inside a disc: area pi r^2."""
    return x * x + y * y <= r * r


def is_in_square(x: np.ndarray, y: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Inside a square of half side sqrt(pi)/2 r."""
    return np.maximum(np.abs(x), np.abs(y)) <= 0.886227 * r


def is_in_triangle(x: np.ndarray, y: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Inside an equilateral triangle around its center; its inscribed circle has 0.777560 r."""
    inner = 0.777560 * r
    return (-y <= inner) & (0.866025 * np.abs(x) + 0.5 * y <= inner)


def is_in_cross(x: np.ndarray, y: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Inside a plus sign of two bars, three times as long as wide: half width 0.396333 r."""
    half = 0.396333 * r
    near, far = np.minimum(np.abs(x), np.abs(y)), np.maximum(np.abs(x), np.abs(y))
    return (near <= half) & (far <= 3 * half)


OUTLINES: dict[str, Outline] = {
    "disc": is_in_disc,
    "square": is_in_square,
    "triangle": is_in_triangle,
    "cross": is_in_cross,
}
