"""Shapes, strides and contiguity of arrays, by the rules of ``numba.cuda``."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gpuedu.simt.host.errors import CudaTypeError, CudaValueError

Shape = tuple[int, ...]


def shape_of(shape: Any) -> Shape:
    """A shape from an int or a sequence of ints.

    >>> shape_of(3), shape_of([2, np.int64(5)])
    ((3,), (2, 5))
    """
    try:
        found = (operator.index(shape),)
    except TypeError:
        try:
            found = tuple(operator.index(extent) for extent in shape)
        except TypeError:
            raise CudaTypeError(
                f"a shape must be an integer or a tuple of integers, not {shape!r}",
                remedy="write int(...) around a computed extent, or // instead of /",
            ) from None
    if any(extent < 0 for extent in found):
        raise CudaValueError(f"a shape cannot have negative extents, got {found}")
    return found


def strides_by_order(shape: Shape, itemsize: int, order: str) -> Shape:
    """Bytes from element to element of a contiguous array; ``order`` is "C" or "F".

    >>> strides_by_order((2, 3), 4, "C"), strides_by_order((2, 3), 4, "F")
    ((12, 4), (4, 8))
    """
    if order not in ("C", "F"):
        raise CudaValueError(f"order must be 'C' or 'F', not {order!r}")
    strides, step = [0] * len(shape), itemsize
    axes = range(len(shape))
    for axis in reversed(axes) if order == "C" else axes:
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)


def is_contiguous(shape: Shape, strides: Shape, itemsize: int, order: str) -> bool:
    """Whether elements are contiguous; axes of one element do not matter."""
    if 0 in shape:
        return True
    step = itemsize
    axes = range(len(shape))
    for axis in reversed(axes) if order == "C" else axes:
        if shape[axis] != 1:
            if strides[axis] != step:
                return False
            step *= shape[axis]
    return True


def compact_strides_like(array: Any) -> Shape:
    """Strides of a contiguous array whose axes have the same order in memory as ``array``'s."""
    shape, itemsize = tuple(array.shape), array.dtype.itemsize
    if is_contiguous(shape, array.strides, itemsize, "C"):
        return strides_by_order(shape, itemsize, "C")
    if is_contiguous(shape, array.strides, itemsize, "F"):
        return strides_by_order(shape, itemsize, "F")
    strides, step = [0] * len(shape), itemsize
    for axis in sorted(range(len(shape)), key=lambda axis: array.strides[axis]):
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)


def without_repeats(array: np.ndarray) -> np.ndarray:
    """The part of a broadcast array that is in memory: one of each repeated axis."""
    if not array.size or 0 not in array.strides:
        return array
    return array[(*(0 if step == 0 else slice(None) for step in array.strides), ...)]


def require_one_region(array: np.ndarray) -> None:
    """Refuse an array with gaps in its memory: it cannot be copied in one piece."""
    core = without_repeats(array)
    if not (core.flags.c_contiguous or core.flags.f_contiguous):
        raise CudaValueError(
            "Array contains non-contiguous buffer and cannot be transferred as a single memory "
            f"region: shape {array.shape}, strides {array.strides} bytes",
            remedy="copy np.ascontiguousarray(array)",
        )


def require_same_form(device: np.ndarray, host: np.ndarray) -> None:
    """Refuse a copy between arrays of different dtype, shape or order in memory."""
    if device.dtype != host.dtype:
        raise CudaTypeError(
            f"incompatible dtype: {device.dtype} vs. {host.dtype}",
            remedy=f"host.astype(np.{device.dtype.name}): a copy does not convert",
        )
    one, other = device.squeeze(), host.squeeze()
    if one.shape != other.shape:
        raise CudaValueError(f"incompatible shape: {device.shape} vs. {host.shape}")
    if device.size and one.strides != other.strides:
        raise CudaValueError(
            f"incompatible strides: {device.strides} vs. {host.strides} bytes",
            remedy="make both arrays of one order, such as with np.ascontiguousarray",
        )
