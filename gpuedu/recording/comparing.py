"""Is a result right? Said in a line, or not at all."""

from __future__ import annotations

import numpy as np

_PIECE = 2**22


def difference(got: np.ndarray, expected: np.ndarray, tolerance: float = 0.0) -> str:
    """What is wrong with ``got``; an empty text where it is within ``tolerance`` of ``expected``.

    Args:
        got: The result, any shape.
        expected: What it should be, the same shape.
        tolerance: The largest difference that rounding may make; an element that is not a number
            is always wrong.

    >>> difference(np.array([1.0, np.nan]), np.array([1.0, 2.0]), 0.1)
    'element (1,) is nan, and should be 2.0'
    """
    if got.shape != expected.shape:
        return f"its shape is {got.shape}, and should be {expected.shape}"
    flat_got, flat_expected = got.reshape(-1), expected.reshape(-1)
    # In pieces: a whole difference in float64 of a large matrix is another gigabyte.
    for start in range(0, flat_got.size, _PIECE):
        piece, truth = flat_got[start : start + _PIECE], flat_expected[start : start + _PIECE]
        wrong = ~(np.abs(piece.astype(np.float64) - truth) <= tolerance)
        if wrong.any():
            place = start + int(wrong.argmax())
            index = tuple(int(i) for i in np.unravel_index(place, got.shape))
            return f"element {index} is {flat_got[place]}, and should be {flat_expected[place]}"
    return ""


def matmul_tolerance(k: int, largest: float = 1.0) -> float:
    """How far a product of k terms, each at most ``largest``, may be from the exact one.

    Additions in float32 in any order, of terms of both signs: two units in the last place of k
    such terms. Rounding behaves like a random walk, and stays below a half of it; inputs that are
    rounded to TF32's 11 significant bits go beyond it for every k that is measured here.

    >>> matmul_tolerance(8192) < 1e-3
    True
    """
    return 2 * 2.0**-24 * k * largest
