"""``min`` and ``max`` as Numba's CUDA target compiles them."""

from __future__ import annotations

from functools import reduce

import numpy as np

_quiet = np.errstate(all="ignore")


@_quiet
def maximum(*values: np.ndarray) -> np.ndarray:
    """``max`` of two or more operands of one dtype.

    Two floats go to the hardware's instruction: it gives the other one if one is NaN, and +0.0 is
    larger than -0.0. Integers, and more than two floats, are compared one after another with ``>``,
    so a NaN stays only if it comes first.

    >>> maximum(np.array([1.0, np.nan]), np.array([np.nan, 2.0]))
    array([1., 2.])
    """
    if len(values) == 2 and values[0].dtype.kind == "f":
        return _hardware(np.fmax, np.bitwise_and, *values)
    return reduce(larger, values)


@_quiet
def minimum(*values: np.ndarray) -> np.ndarray:
    """``min`` of two or more operands of one dtype; see ``maximum``."""
    if len(values) == 2 and values[0].dtype.kind == "f":
        return _hardware(np.fmin, np.bitwise_or, *values)
    return reduce(smaller, values)


@_quiet
def larger(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """``second if second > first else first``: what Numba makes of a float and an integer."""
    if first.dtype.kind in "iub":
        return np.maximum(first, second)
    return np.where(second > first, second, first)[()]


@_quiet
def smaller(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """``second if second < first else first``."""
    if first.dtype.kind in "iub":
        return np.minimum(first, second)
    return np.where(second < first, second, first)[()]


def _hardware(
    ufunc: np.ufunc, join_bits: np.ufunc, first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    result = ufunc(first, second)
    if ufunc is np.fmax and second.ndim == 0 and second == 0 and not np.signbit(second):
        return result + second  # max(x, 0.0): turns any -0.0 into 0.0
    zero = result == 0
    if not zero.any():
        return result
    first, second = np.broadcast_arrays(first, second)
    both = zero & (first == second)
    word = f"u{first.dtype.itemsize}"
    joined = join_bits(first.view(word), second.view(word)).view(first.dtype)
    return np.where(both, joined, result)[()]
