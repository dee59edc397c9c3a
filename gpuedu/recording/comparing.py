"""Whether a result is right: what is wrong in one line, or nothing."""

from __future__ import annotations

import numpy as np

_PIECE = 2**18


def difference(got: np.ndarray, expected: np.ndarray, tolerance: float = 0.0) -> str:
    """What is wrong with ``got``; an empty string if it is within ``tolerance`` of ``expected``.

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
    # In pieces along the first axis: a whole difference in float64 of a large matrix is another
    # gigabyte, and small pieces stay in the processor's cache.
    rows = max(1, _PIECE // max(1, got[:1].size))
    for start in range(0, len(got), rows):
        piece, truth = got[start : start + rows], expected[start : start + rows]
        if tolerance == 0 and np.array_equal(piece, truth):
            continue
        wrong = ~(np.abs(piece.astype(np.float64) - truth) <= tolerance)
        if wrong.any():
            place = tuple(int(i) for i in np.unravel_index(wrong.argmax(), wrong.shape))
            index = (start + place[0], *place[1:])
            return f"element {index} is {piece[place]}, and should be {truth[place]}"
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
