"""Integer division, shifts and conversions as compiled kernels do them: no traps, no warnings."""

from __future__ import annotations

import numpy as np

_quiet = np.errstate(all="ignore")


@_quiet
def floor_divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a // b``, rounded down; of the operands' dtype, integer or float.

    An integer divided by zero is 0, and so is the smallest integer divided by -1. A float divided
    by zero is infinite or NaN.

    >>> floor_divide(np.array([7, -7, 7], np.int32), np.array([2, 2, 0], np.int32))
    array([ 3, -4,  0], dtype=int32)
    """
    power = _as_power_of_two(b)
    if power is not None:
        return np.right_shift(a, b.dtype.type(power))
    quotient = np.floor_divide(a, b)
    if quotient.dtype.kind != "i" or not (b == -1).any():
        return quotient
    lowest = np.iinfo(quotient.dtype).min
    overflow = (quotient == lowest) & (b == -1)
    return np.where(overflow, quotient.dtype.type(0), quotient)[()]


@_quiet
def remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a % b`` with the sign of ``b``; modulo zero it is 0 for integers and NaN for floats.

    Simplified: for floats the result is exact; a GPU computes ``a - floor(a / b) * b``, which
    loses digits once the quotient has more than the significand holds.
    """
    power = _as_power_of_two(b)
    if power is not None:
        return np.bitwise_and(a, b - b.dtype.type(1))
    if np.ndim(b) == 0 and b.dtype.kind in "iu" and b != 0:
        # NumPy divides by one number much faster than it takes remainders.
        return a - np.floor_divide(a, b) * b
    return np.remainder(a, b)


def _as_power_of_two(b: np.ndarray) -> int | None:
    """The exponent, if ``b`` is one integer that is a power of two: a shift then does it all."""
    if np.ndim(b) != 0 or b.dtype.kind not in "iu":
        return None
    value = int(b)
    return value.bit_length() - 1 if value > 0 and value & (value - 1) == 0 else None


def divide_with_remainder(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``divmod(a, b)``."""
    return floor_divide(a, b), remainder(a, b)


@_quiet
def true_divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a / b`` of floats."""
    return np.true_divide(a, b)


def left_shift(a: np.ndarray, count: np.ndarray) -> np.ndarray:
    """``a << count``: 0 from the width on (PTX ``shl`` clamps the count, taken as 32 bits).

    >>> left_shift(np.int64(1), np.array([3, 64, -1]))
    array([8, 0, 0])
    """
    return _shift(np.left_shift, a, count)


def right_shift(a: np.ndarray, count: np.ndarray) -> np.ndarray:
    """``a >> count``: only copies of the sign are left from the width on (PTX ``shr``).

    >>> right_shift(np.array([-8, 8]), np.array([1, 64]))
    array([-4,  0])
    """
    return _shift(np.right_shift, a, count)


def _shift(ufunc: np.ufunc, a: np.ndarray, count: np.ndarray) -> np.ndarray:
    # NumPy's own shifts give what PTX gives for counts from 0 up, however large.
    a, count = np.asarray(a), np.asarray(count)
    if count.dtype != a.dtype or count.dtype.kind == "i":
        top = np.uint32(8 * a.dtype.itemsize)
        count = np.minimum(count.astype(np.uint32), top).astype(a.dtype)
    return ufunc(a, count)[()]
