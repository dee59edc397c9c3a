"""Scalars as Numba sees them: conversion, operators and functions, one value at a time."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

import numpy as np
from numba.cuda import types

from tests.simt.oracle.inference import dtype_of

COMPARISONS = {
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
}
BINARY: dict[object, Callable[[object, object], object]] = {
    operator.add: np.add,
    operator.sub: np.subtract,
    operator.mul: np.multiply,
    operator.truediv: np.true_divide,
    operator.floordiv: np.floor_divide,
    operator.mod: np.remainder,
    operator.and_: np.bitwise_and,
    operator.or_: np.bitwise_or,
    operator.xor: np.bitwise_xor,
}
UNARY: dict[object, Callable[[object], object]] = {
    operator.neg: np.negative,
    operator.pos: np.positive,
    operator.invert: np.invert,
    operator.not_: np.logical_not,
}
SHIFTS = {operator.lshift, operator.rshift}


def cast(value: object, kind: object) -> object:
    """Convert to a Numba type as C would: floats are cut, integers wrap."""
    dtype = dtype_of(kind)
    if dtype is not None:
        is_same = getattr(value, "dtype", None) is dtype
        return value if is_same else as_number(value).astype(dtype)
    if isinstance(kind, types.BaseTuple):
        return tuple(cast(v, k) for v, k in zip(value, kind.types, strict=True))
    return value


def binary(fn: object, left: object, right: object, signature: object) -> object:
    """``left fn right`` in the types that Numba chose."""
    if fn is operator.contains:
        return np.bool_(any(right == element for element in left))
    a, b = (cast(v, k) for v, k in zip((left, right), signature.args, strict=True))
    if fn in COMPARISONS:
        return np.bool_(_compare(fn, a, b))
    if fn is operator.pow:
        return cast(_power(a, b), signature.return_type)
    if fn in SHIFTS:
        return _shift(fn, int(a), int(b), dtype_of(signature.return_type))
    result = dtype_of(signature.return_type)
    if result.kind in "iu":
        a, b = a.astype(result), b.astype(result)
    return cast(BINARY[fn](a, b), signature.return_type)


def unary(fn: object, value: object, signature: object) -> object:
    """``fn value`` in the types that Numba chose."""
    if fn is operator.not_:
        return np.bool_(not value)
    value = cast(value, signature.args[0])
    if value.dtype == np.bool_:
        value = cast(value, signature.return_type)
    return cast(UNARY[fn](value), signature.return_type)


def _compare(fn: Callable[..., bool], a: object, b: object) -> bool:
    if np.issubdtype(a.dtype, np.integer) and np.issubdtype(b.dtype, np.integer):
        return fn(int(a), int(b))
    return bool(fn(a, b))


def _power(a: object, b: object) -> object:
    if np.issubdtype(b.dtype, np.integer):
        result, exponent, square = a.dtype.type(1), abs(int(b)), a
        while exponent:
            result = result * square if exponent & 1 else result
            square, exponent = square * square, exponent >> 1
        return result if b >= 0 else a.dtype.type(1) / result
    return a.dtype.type(math.nan) if a < 0 and b != np.floor(b) else np.power(a, b)


def _shift(fn: object, a: int, b: int, dtype: np.dtype) -> np.generic:
    bits = 8 * dtype.itemsize
    shifted = a << (b % bits) if fn is operator.lshift else a >> (b % bits)
    return _wrap(shifted, dtype)


def _wrap(value: int, dtype: np.dtype) -> np.generic:
    bits = 8 * dtype.itemsize
    return np.array(value & ((1 << bits) - 1), f"u{dtype.itemsize}").astype(dtype)[()]


def as_number(value: object) -> np.generic:
    """A NumPy scalar of a number of any kind; whole numbers wrap at 64 bits."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return _wrap(value, np.dtype(np.uint64 if value >= 1 << 63 else np.int64))
    return np.asarray(value)[()]
