"""Floats to integers, and ``round``, as a GPU's ``cvt`` instruction does them."""

from __future__ import annotations

import numpy as np

_quiet = np.errstate(all="ignore")


@_quiet
def to_integer(x: np.ndarray, dtype: np.dtype | type) -> np.ndarray:
    """Floats rounded towards zero to an integer dtype, and clamped to its range.

    NaN becomes 0, or the smallest integer (for unsigned ones: the top bit) from float64 or to 64
    bits (PTX ISA, ``cvt``). Integers of 8 bits are converted to 16 bits and cut.

    >>> to_integer(np.array([-1.9, 3e9, np.nan]), np.int32)
    array([         -1,  2147483647, -2147483648], dtype=int32)
    """
    dtype = np.dtype(dtype)
    x = np.asarray(x)
    if dtype.itemsize == 1:
        return to_integer(x, f"{dtype.kind}2").astype(dtype)
    lost = 8 * dtype.itemsize - 1
    if x.dtype.itemsize == 8 or dtype.itemsize == 8:
        missing = -(1 << lost) if dtype.kind == "i" else 1 << lost
    else:
        missing = 0
    return _convert(np.trunc(x), dtype, missing)


def round_number(x: np.ndarray, digits: np.ndarray | None = None) -> np.ndarray:
    """``round(x)``, an int64, or ``round(x, digits)``, of ``x``'s dtype."""
    return round_to_integer(x) if digits is None else round_digits(x, digits)


@_quiet
def round_to_integer(x: np.ndarray) -> np.ndarray:
    """``round(x)``: to the nearest int64, halves to even; ends of the range, NaN the smallest.

    >>> round_to_integer(np.array([0.5, 1.5, -2.5, np.inf]))
    array([                  0,                   2,                  -2,
           9223372036854775807])
    """
    return _convert(np.rint(np.asarray(x)), np.dtype(np.int64), -(1 << 63))


@_quiet
def round_digits(x: np.ndarray, digits: np.ndarray) -> np.ndarray:
    """``round(x, digits)`` in ``x``'s dtype, computed in float64.

    As in Numba the number is scaled, rounded to an int64 and scaled back, so a value that does not
    fit into an int64 after scaling comes back as the end of its range.
    """
    x, digits = np.asarray(x), np.asarray(digits).astype(np.int64)
    wide = x.astype(np.float64)
    up = digits >= 0
    first = np.where(up, np.where(digits > 22, digits - 22, digits), -digits)
    scale = 10.0 ** first.astype(np.float64)
    extra = np.where(digits > 22, 1e22, 1.0)
    scaled = np.where(up, wide * scale * extra, wide / scale)
    whole = round_to_integer(scaled).astype(np.float64)
    rounded = np.where(up, whole / extra / scale, whole * scale)
    keep = ~np.isfinite(wide) | (up & np.isinf(scaled))
    return np.where(keep, wide, rounded).astype(x.dtype)[()]


def _convert(whole: np.ndarray, dtype: np.dtype, missing: int) -> np.ndarray:
    """Whole floats to integers with the ends of the range where they do not fit."""
    limits = np.iinfo(dtype)
    inside = (whole >= float(limits.min)) & (whole < float(limits.max + 1))
    if inside.all():
        return whole.astype(dtype)[()]
    result = np.where(inside, whole, whole.dtype.type(0)).astype(dtype)
    result = np.where(whole >= float(limits.max + 1), dtype.type(limits.max), result)
    result = np.where(whole < float(limits.min), dtype.type(limits.min), result)
    return np.where(np.isnan(whole), np.array(missing, dtype), result)[()]
