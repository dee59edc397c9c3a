"""Indexing: views on the device by slices, new arrays and writes by index arrays and masks.

An index array that points outside wraps around, as CuPy documents; a number that points outside
is an error. A place that an index array names twice, with different values, keeps one of them: the
last here, undefined on a GPU.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.arrays.account import note_operation
from gpuedu.arrays.dtypes import require_dtype
from gpuedu.arrays.errors import DeviceArrayIndexError, DeviceArrayValueError
from gpuedu.arrays.fusing import note_written, require_fusible
from gpuedu.arrays.ndarray import SCALARS, ndarray
from gpuedu.arrays.transfer import copied_to_device, copied_to_host
from gpuedu.arrays.wrap import from_interface, new, touched_bytes, unsupported
from gpuedu.widths import as_array

_COUNT_BYTES = 4


def to_indices(value: Any) -> ndarray | int:
    """Indices on the device: numbers stay numbers, lists and host arrays are copied there."""
    if isinstance(value, ndarray) or np.isscalar(value):
        return value  # type: ignore[return-value]
    if hasattr(value, "__cuda_array_interface__"):
        return from_interface(value)
    host = as_array(value)
    if host.size == 0 and isinstance(value, (list, tuple)):
        host = host.astype(np.int32)
    require_dtype(host.dtype)
    copied_to_device(host.nbytes, "an index", hidden="an index from the host")
    return new(host)


class Index:
    """An index as NumPy takes it: ``key``, and the device arrays in it."""

    def __init__(self, array: ndarray, item: Any) -> None:
        parts = list(item) if isinstance(item, tuple) else [item]
        self.arrays: list[ndarray] = []
        self.has_mask = False
        self._shape = array.shape
        parts = [self._to_device(part) for part in parts]
        counts = [self._axes(part) for part in parts]
        if sum(counts) > array.ndim:
            raise DeviceArrayIndexError(
                f"too many indices for array: array is {array.ndim}-dimensional, "
                f"but {sum(counts)} were indexed"
            )
        if sum(part is Ellipsis for part in parts) > 1:
            raise DeviceArrayIndexError("an index can only have a single ellipsis ('...')")
        self.key = tuple(self._lower(parts, counts))

    def _to_device(self, part: Any) -> Any:
        if part is None or part is Ellipsis or isinstance(part, slice):
            return part
        if np.isscalar(part) and not isinstance(part, (bool, np.bool_)):
            return part
        if isinstance(part, (bool, np.bool_)):
            part = new(np.asarray(part))
        try:
            found = to_indices(part)
        except ValueError:
            raise _no_index(part) from None
        assert isinstance(found, ndarray)
        if found.dtype.kind not in "biu":
            raise DeviceArrayIndexError(
                "arrays used as indices must be of integer or boolean type. "
                f"(actual: {found.dtype.type})"
            )
        self.arrays.append(found)
        self.has_mask |= found.dtype.kind == "b"
        return found

    @staticmethod
    def _axes(part: Any) -> int:
        if part is None or part is Ellipsis:
            return 0
        return part.ndim if isinstance(part, ndarray) and part.dtype.kind == "b" else 1

    def _lower(self, parts: list[Any], counts: list[int]) -> Any:
        axis = 0
        for part, count in zip(parts, counts, strict=True):
            if part is Ellipsis:
                axis += len(self._shape) - sum(counts)
                yield part
            elif isinstance(part, ndarray):
                yield self._array(part, axis)
            elif part is None or isinstance(part, slice):
                yield part
            else:
                yield self._number(part, axis)
            axis += count

    def _array(self, part: ndarray, axis: int) -> np.ndarray:
        elements = part.elements()
        if elements.dtype.kind == "b" or not self._shape[axis]:
            return elements
        return wrapped(elements, self._shape[axis])

    def _number(self, part: Any, axis: int) -> int:
        try:
            at, extent = operator.index(part), self._shape[axis]
        except TypeError:
            raise _no_index(part) from None
        if not -extent <= at < extent:
            raise DeviceArrayIndexError(
                f"Index {part} is out of bounds for axis {axis} with size {extent}"
            )
        return at


def _no_index(part: Any) -> DeviceArrayIndexError:
    return DeviceArrayIndexError(
        f"{part!r} is not an index; integers, slices, `...`, `None`, and integer and boolean "
        "arrays are"
    )


def wrapped(indices: np.ndarray, extent: int) -> np.ndarray:
    """Indices from 0 up to ``extent``, those outside wrapped around.

    >>> wrapped(np.array([0, 3, -1, 7]), 3)
    array([0, 0, 2, 1])
    """
    return np.remainder(indices.astype(np.int64), extent)


def getitem(array: ndarray, item: Any) -> ndarray:
    """``array[item]``: a view, or a new array where there is an index array or a mask."""
    index = Index(array, item)
    require_fusible("getitem")
    key = index.key if any(part is Ellipsis for part in index.key) else (*index.key, Ellipsis)
    found = array.elements()[key]
    if not index.arrays:
        return array.part(found)
    _tell_mask(index)
    result = new(found)
    read = sum(map(touched_bytes, index.arrays)) + result.nbytes
    note_operation("getitem", read, result.nbytes)
    return result


def _tell_mask(index: Index) -> None:
    """The host has to know how many elements a mask chooses, before it can reserve memory."""
    if index.has_mask:
        copied_to_host(_COUNT_BYTES, "a mask", hidden="the number of elements that a mask chooses")


def setitem(array: ndarray, item: Any, value: Any) -> None:
    """``array[item] = value``; the value is cast to the array's dtype."""
    if not (item is Ellipsis or (isinstance(item, slice) and item == slice(None))):
        require_fusible("setitem")
    index = Index(array, item)
    given = _value(value, array.dtype, bool(index.arrays))
    _tell_mask(index)
    key = index.key
    lowered = _squeezed(given.elements()) if isinstance(given, ndarray) else given
    part = array.elements()[(*key, Ellipsis) if Ellipsis not in _plain(key) else key]
    with np.errstate(all="ignore"):
        array.elements()[key] = lowered
    read = touched_bytes(given) if isinstance(given, ndarray) else 0
    read += sum(map(touched_bytes, index.arrays))
    note_written(array)
    note_operation("setitem", read, part.size * array.itemsize)


def _plain(key: tuple) -> list[Any]:
    return [part for part in key if not isinstance(part, np.ndarray)]


def _squeezed(elements: np.ndarray) -> np.ndarray:
    """Without leading axes of one element, which CuPy lets a value have."""
    while elements.ndim and elements.shape[0] == 1:
        elements = elements[0]
    return elements


def _value(value: Any, dtype: np.dtype, is_scatter: bool) -> Any:
    """What is written: a device array or a number; with index arrays, also host data, copied."""
    if isinstance(value, (ndarray, *SCALARS)):
        return value
    if hasattr(value, "__cuda_array_interface__"):
        return from_interface(value)
    if isinstance(value, np.ndarray) and not value.shape:
        return value[()]
    if is_scatter:
        host = np.asarray(value, dtype)
        copied_to_device(host.nbytes, "setitem", hidden="a value written from the host")
        return new(host)
    if isinstance(value, np.ndarray):
        raise DeviceArrayValueError(
            "non-scalar numpy.ndarray cannot be used for fill",
            remedy="a[...] = cp.asarray(value), or a.set(value)",
        )
    raise unsupported(value)


def scatter(array: ndarray, item: Any, value: Any, combine: Callable[..., Any], name: str) -> None:
    """Combine elements with ``value`` in place, each place as often as it is named."""
    if not isinstance(array, ndarray):
        raise unsupported(array)
    index = Index(array, item)
    given = _value(value, array.dtype, is_scatter=True)
    _tell_mask(index)
    lowered = given.elements() if isinstance(given, ndarray) else given
    with np.errstate(all="ignore"):
        cast = np.asarray(lowered).astype(array.dtype)
        combine.at(array.elements(), index.key, cast)  # type: ignore[attr-defined]
    written = array.elements()[index.key].size * array.itemsize
    read = touched_bytes(given) if isinstance(given, ndarray) else 0
    note_operation(name, read + written + sum(map(touched_bytes, index.arrays)), written)
