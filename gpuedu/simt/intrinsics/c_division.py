"""Integer division as C defines it: towards zero, the remainder with the dividend's sign.

Source: ISO C++17, [expr.mul]. What C leaves open is what a GPU does: division by zero gives all
bits set and the dividend as the remainder; the smallest integer divided by -1 stays itself.
"""

from __future__ import annotations

import numpy as np

_quiet = np.errstate(all="ignore")


@_quiet
def divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a / b``, of the operands' integer dtype.

    >>> divide(np.array([7, -7, 7, 5], np.int32), np.array([2, 2, -2, 0], np.int32))
    array([ 3, -3, -3, -1], dtype=int32)
    """
    a, b = np.asarray(a), np.asarray(b)
    dtype = a.dtype
    if b.ndim == 0:
        if not b:
            return np.full_like(a, -1 if dtype.kind == "i" else np.iinfo(dtype).max)[()]
        if dtype.kind == "u" or (b > 0 and _none_below_zero(a)):
            return (a >> _exponent(b) if _is_power(b) else a // b)[()]
    safe = np.where(b == 0, dtype.type(1), b)
    quotient = a // safe
    if dtype.kind == "i":
        inexact = quotient * safe != a
        quotient = quotient + (inexact & ((a < 0) != (safe < 0))).astype(dtype)
        quotient = np.where((safe == -1), -a, quotient)
    missing = dtype.type(-1) if dtype.kind == "i" else np.iinfo(dtype).max
    return np.where(b == 0, missing, quotient).astype(dtype)[()]


@_quiet
def remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a % b``, of the operands' integer dtype.

    >>> remainder(np.array([7, -7, 7, 5], np.int32), np.array([2, 2, -2, 0], np.int32))
    array([ 1, -1,  1,  5], dtype=int32)
    """
    a, b = np.asarray(a), np.asarray(b)
    if b.ndim == 0 and _is_power(b) and (a.dtype.kind == "u" or _none_below_zero(a)):
        return (a & (b - b.dtype.type(1)))[()]
    quotient = divide(a, np.where(b == 0, b.dtype.type(1), b)[()])
    return np.where(b == 0, a, a - quotient * b).astype(a.dtype)[()]


def _none_below_zero(a: np.ndarray) -> bool:
    return a.size == 0 or bool(a.min() >= 0)


def _is_power(b: np.ndarray) -> bool:
    value = int(b)
    return value > 0 and value & (value - 1) == 0


def _exponent(b: np.ndarray) -> np.generic:
    return b.dtype.type(int(b).bit_length() - 1)
