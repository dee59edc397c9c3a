"""Atomic operations of many lanes on one memory array, as if the lanes came one after another.

A GPU leaves the order of atomics open; the machine serves lanes in the order it is given, so that
a run can be repeated bit for bit. Float sums are therefore rounded in that order.

Simplified: a GPU flushes subnormal float32 operands of ``atomicAdd`` on global memory to zero
(PTX ISA, section ``atom``); here they are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuedu.errors import GpueduError
from gpuedu.simt.intrinsics import serial

_ANY = frozenset({"int32", "uint32", "int64", "uint64", "float32", "float64"})
_INTEGERS = frozenset({"int32", "uint32", "int64", "uint64"})
_UNSIGNED = frozenset({"uint32", "uint64"})

DTYPES: dict[str, frozenset[str]] = {
    "add": _ANY,
    "sub": _ANY,
    "max": _ANY,
    "min": _ANY,
    "nanmax": _ANY,
    "nanmin": _ANY,
    "and_": _INTEGERS,
    "or_": _INTEGERS,
    "xor": _INTEGERS,
    "exch": _INTEGERS,
    "inc": _UNSIGNED,
    "dec": _UNSIGNED,
    "compare_and_swap": _INTEGERS,
    "cas": _INTEGERS,
}
"""The element types that Numba's CUDA target accepts, by operation."""

_IN_PLACE = {
    "add": np.add,
    "sub": np.subtract,
    "and_": np.bitwise_and,
    "or_": np.bitwise_or,
    "xor": np.bitwise_xor,
    "max": np.maximum,
    "nanmax": np.maximum,
    "min": np.minimum,
    "nanmin": np.minimum,
}


class AtomicTypeError(GpueduError):
    """An atomic operation on an array whose element type Numba's CUDA target refuses."""


def check(op: str, dtype: np.dtype) -> None:
    """Refuse what Numba refuses.

    Raises:
        AtomicTypeError: The operation does not exist for this element type.
    """
    accepted = DTYPES[op]
    if np.dtype(dtype).name not in accepted:
        raise AtomicTypeError(
            f"atomic.{op} on an array of {np.dtype(dtype).name} does not exist",
            remedy=f"an array of {', '.join(sorted(accepted))}",
        )


@np.errstate(all="ignore")
def apply(
    op: str,
    data: np.ndarray,
    index: np.ndarray,
    operands: Sequence[np.ndarray],
    *,
    want_old: bool,
) -> np.ndarray | None:
    """Make each lane do ``data[i] = f(data[i], operand)`` in turn.

    ``max`` and ``min`` leave memory alone where either side is NaN; ``nanmax`` and ``nanmin``
    replace a NaN in memory and ignore one in the operand. ``inc`` goes to 0 from the operand
    upwards, ``dec`` goes to the operand from 0 or from above it. ``cas`` has two operands,
    the expected and the new value.

    Args:
        op: A key of ``DTYPES``.
        data: (M,) the memory, changed in place.
        index: (n,) int64, 0 <= index < M, in the order in which lanes are served.
        operands: One array of shape (n,) or (), two for ``cas``, of ``data``'s dtype.
        want_old: Whether the results are used; without them the work is cheaper.

    Returns:
        (n,) what each lane saw before its own change, or None if not wanted.

    Raises:
        AtomicTypeError: Numba's CUDA target has no such operation for ``data``'s dtype.

    >>> counters = np.zeros(2, np.int32)
    >>> apply("add", counters, np.array([1, 0, 1]), [np.array([5, 6, 7], np.int32)], want_old=True)
    array([0, 0, 5], dtype=int32)
    >>> counters
    array([ 6, 12], dtype=int32)
    """
    if (op, data.dtype) != ("exch", np.float32):  # CUDA C has it, Numba has not
        check(op, data.dtype)
    values = [np.asarray(operand).astype(data.dtype, copy=False) for operand in operands]
    if index.size == 0:
        return np.empty(0, data.dtype) if want_old else None
    if not want_old and _in_place(op, data, index, values[0]):
        return None
    old = serial.serve("cas" if op == "compare_and_swap" else op, data, index, values)
    return old if want_old else None


def _in_place(op: str, data: np.ndarray, index: np.ndarray, value: np.ndarray) -> bool:
    """Change memory without results; False where NumPy has no exact way to do it."""
    if op == "exch":
        data[index] = value
        return True
    ufunc = _IN_PLACE.get(op)
    if ufunc is None:
        return False
    if data.dtype.kind == "f" and op not in ("add", "sub"):
        return _extreme_in_place(op, ufunc, data, index, value)
    ufunc.at(data, index, value)
    return True


def _extreme_in_place(
    op: str, ufunc: np.ufunc, data: np.ndarray, index: np.ndarray, value: np.ndarray
) -> bool:
    """Float max and min, unless NaN or a zero's sign could make NumPy's answer differ."""
    if np.isnan(value).any() or ((value == 0) & np.signbit(value)).any():
        return False
    memory = data[index]
    if ((memory == 0) & np.signbit(memory)).any():
        return False
    if op in ("nanmax", "nanmin") and np.isnan(memory).any():
        return False
    ufunc.at(data, index, value)
    return True
