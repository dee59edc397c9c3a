"""``**``, ``pow`` and ``math.pow`` as Numba's CUDA target compiles them."""

from __future__ import annotations

import numpy as np

from gpuedu.simt.intrinsics.rounding import to_integer

_quiet = np.errstate(all="ignore")

# Numba squares repeatedly up to this exponent and calls the library's pow beyond it.
_LARGEST_COUNT = 0x10000
_EXACT = 1 << 53


@_quiet
def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a ** b``: both integers, both floats, or a float and an integer.

    A float to an integer power is multiplied out in the float's dtype, rounding at each step.
    Integers wrap; their result passes through float64 in Numba's code and so loses digits beyond
    2**53. A negative exponent gives 0, except for a base of 1, -1, or 0, which gives the smallest
    integer.

    Args:
        a: int64, uint64, float32 or float64.
        b: ``a``'s dtype or, for floats, any integer dtype.

    Returns:
        An array of ``a``'s dtype.

    >>> power(np.array([3, 2, 0]), np.array([4, -1, -1]))
    array([                  81,                    0, -9223372036854775808])
    """
    a, b = np.asarray(a), np.asarray(b)
    if b.dtype.kind not in "iu":
        return float_power(a, b)
    count = np.where(b < 0, 0 - b.astype(np.uint64), b.astype(np.uint64))
    product = _multiply_out(a, np.where(count > _LARGEST_COUNT, np.uint64(0), count))
    if a.dtype.kind in "iu":
        return _finish_integers(a, b, count, product)[()]
    if (b < 0).any():
        inverse = (1.0 / product.astype(np.float64)).astype(a.dtype)
        product = np.where(b < 0, inverse, product)
    if (count > _LARGEST_COUNT).any():
        product = np.where(count > _LARGEST_COUNT, float_power(a, b), product)
    return product[()]


@_quiet
def float_power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``math.pow(a, b)`` in ``a``'s dtype; ``b`` may be an integer."""
    a, b = np.asarray(a), np.asarray(b)
    if b.dtype.kind in "iu":
        return np.power(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)[()]
    return np.power(a, b)[()]


def _finish_integers(
    a: np.ndarray, b: np.ndarray, count: np.ndarray, product: np.ndarray
) -> np.ndarray:
    if (product > _EXACT).any() or (product < -_EXACT).any():
        product = to_integer(product.astype(np.float64), a.dtype)
    if (count > _LARGEST_COUNT).any():
        library = np.power(a.astype(np.float64), b.astype(np.float64))
        product = np.where(count > _LARGEST_COUNT, to_integer(library, a.dtype), product)
    if (b < 0).any():
        lowest = a.dtype.type(np.iinfo(a.dtype).min)
        inverse = np.where(a == 0, lowest, np.where((a == 1) | (a == -1), product, 0))
        product = np.where(b < 0, inverse, product).astype(a.dtype)
    return product


def _multiply_out(a: np.ndarray, count: np.ndarray) -> np.ndarray:
    """``a`` to the ``count`` by repeated squaring in ``a``'s dtype."""
    if count.ndim == 0:
        return _multiply_out_once(a, int(count))
    result = np.ones(np.broadcast_shapes(a.shape, count.shape), a.dtype)
    while True:
        np.multiply(result, a, out=result, where=(count & np.uint64(1)) != 0)
        count = count >> np.uint64(1)
        if not count.any():
            return result
        a = a * a


def _multiply_out_once(a: np.ndarray, count: int) -> np.ndarray:
    result = a if count & 1 else np.ones_like(a)
    while count := count >> 1:
        a = a * a
        if count & 1:
            result = result * a
    return result
