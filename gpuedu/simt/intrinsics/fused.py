"""Multiply-add with a single rounding, as one GPU instruction does it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

_quiet = np.errstate(all="ignore")
_SPLITTER = 134217729.0  # 2**27 + 1 cuts a float64 into two halves whose products are exact
_PORTION = 4096
_DROPPED = np.int64((1 << 29) - 1)  # bits of a float64 that a float32 does not have
_MIDWAY = np.int64(1 << 28)


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """``a * b + c``, correctly rounded, for float32 or float64 operands of one dtype.

    float32 is computed in float64, where the product is exact; the few sums that would then be
    rounded twice are redone. float64 is computed from error-free transformations (S. Boldo,
    G. Melquiond, "Emulation of a FMA and correctly rounded sums", 2008), and with fractions where
    those could leave the range of exponents.

    >>> e = np.float64(2.0**-30)
    >>> float(fma(1 + e, 1 - e, np.float64(-1))) == -(2.0**-60)
    True
    """
    a, b, c = (np.asarray(operand) for operand in (a, b, c))
    if a.dtype != np.float64:
        return _fma32(a, b, c)[()]
    a, b, c = np.broadcast_arrays(a, b, c)
    if a.size <= _PORTION:
        return _fma64(a, b, c)[()]
    # Many temporaries: in portions that stay in the cache.
    result = np.empty(a.size)
    a_flat, b_flat, c_flat = (operand.reshape(-1) for operand in (a, b, c))
    for start in range(0, a.size, _PORTION):
        part = slice(start, start + _PORTION)
        result[part] = _fma64(a_flat[part], b_flat[part], c_flat[part])
    return result.reshape(a.shape)


@_quiet
def _fma32(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    product = a.astype(np.float64) * b
    total = product + c
    bits = total.view(np.int64)
    size = np.abs(total)
    doubtful = ((bits & _DROPPED) == _MIDWAY) | ((size < 2.0**-125) & (size != 0))
    if doubtful.any():
        total = np.where(doubtful, _sum_to_odd(product, c.astype(np.float64)), total)
    return total.astype(np.float32)


@_quiet
def _fma64(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    product, error = _two_product(a, b)
    middle, low = _two_sum(c, error)
    high, rest = _two_sum(product, middle)
    result = high + _sum_to_odd(low, rest)
    size = np.abs(product)
    safe = (size > 2.0**-960) & (size < 2.0**1000) & (np.abs(c) < 2.0**1000)
    safe &= (np.abs(a) < 2.0**990) & (np.abs(b) < 2.0**990)
    return result if safe.all() else np.where(safe, result, _fma64_at_the_ends(a, b, c, ~safe))


def _fma64_at_the_ends(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """The lanes with zeros, infinities, NaN or exponents near the ends of the range."""
    finite = np.isfinite(a) & np.isfinite(b)
    result = np.where(finite & ~np.isfinite(c), c, a * b + c)
    exactly = wanted & finite & np.isfinite(c) & (a != 0) & (b != 0)
    if exactly.any():
        result[exactly] = _BY_FRACTIONS(a[exactly], b[exactly], c[exactly]).astype(np.float64)
    return result


def _two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rounded sum and its exact error."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _two_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rounded product and its exact error."""
    product = a * b
    high_a, high_b = _head(a), _head(b)
    low_a, low_b = a - high_a, b - high_b
    error = low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b)
    return product, error


def _head(a: np.ndarray) -> np.ndarray:
    scaled = a * _SPLITTER
    return scaled - (scaled - a)


def _sum_to_odd(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a + b``, an inexact one moved to the neighbor with an odd last bit.

    Such a sum can be rounded again to fewer bits without harm: it is never taken for a tie.
    """
    total, error = _two_sum(a, b)
    bits = total.view(np.int64)
    move = (error != 0) & np.isfinite(error) & ((bits & 1) == 0)
    outwards = np.where((error > 0) == (total > 0), 1, -1)
    return np.where(move, bits + outwards, bits).view(np.float64)


def _exact(a: float, b: float, c: float) -> float:
    total = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(total)
    except OverflowError:
        return float("inf") if total > 0 else float("-inf")


_BY_FRACTIONS = np.frompyfunc(_exact, 3, 1)
