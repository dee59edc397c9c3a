"""Memory as kernels see it: flat storage, and views with shape and strides on it.

``index`` tuples hold int64 scalars or arrays that broadcast to (B, T). Offsets and strides count
elements of the flat storage. A view's shape and offset may differ between threads (after a slice
with per-thread bounds); NumPy broadcasting carries that through.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gpuedu.errors import GpueduError
from gpuedu.simt.machine.recast import recast
from gpuedu.trace import Space

Number = Any
"""An int64 scalar, or an array of one number for each thread."""


@dataclass(frozen=True, eq=False)
class Allocation:
    """One piece of memory: what aliasing views have in common.

    ``number`` identifies the allocation; ``unit`` is the bytes of its smallest element type, in
    which hazards are tracked; ``address`` is the device address that sectors are counted from.
    """

    number: int
    space: Space
    size_bytes: int
    unit: int
    address: int = 0


@dataclass(frozen=True, eq=False)
class Flat:
    """Elements of one type in an allocation.

    ``data`` is (N,) for global and constant memory and (B, N) for shared memory, one row a block.
    Element i is at byte ``start + i * step`` of the allocation.
    """

    data: np.ndarray
    allocation: Allocation
    start: int
    step: int

    def field(self, name: str) -> Flat:
        """The same elements' field, or part of complex numbers."""
        if self.data.dtype.kind == "c":
            half = self.data.dtype.itemsize // 2 if name == "imag" else 0
            return Flat(getattr(self.data, name), self.allocation, self.start + half, self.step)
        inner = self.data.dtype.fields[name]  # type: ignore[index]
        return Flat(self.data[name], self.allocation, self.start + inner[1], self.step)

    def retyped(self, dtype: np.dtype, offset: int) -> tuple[Flat, np.int64]:
        """The memory from element ``offset`` on as another type, and where it begins in that."""
        begin = self.start + offset * self.step
        size = self.data.shape[-1] * self.step
        skipped = (begin - self.start) % dtype.itemsize
        count = max((size - skipped) // dtype.itemsize, 0)
        data = self.data
        shape, strides = (*data.shape[:-1], count), (*data.strides[:-1], dtype.itemsize)
        whole = _reinterpret(data, dtype, skipped, shape, strides)
        made = Flat(whole, self.allocation, self.start + skipped, dtype.itemsize)
        return made, np.int64((begin - made.start) // dtype.itemsize)


@dataclass(frozen=True, eq=False)
class View:
    """Part of a flat storage, or of a thread's local cells, with dimensions.

    ``lead`` are the indices that made this view out of an array of more dimensions, along extents
    ``lead_shape``; threads for which one of them was not inside are ``outside``, those for which
    one was negative ``wrapped``. They are reported when the view is used.
    """

    name: str
    flat: Any
    offset: Number
    shape: tuple[Number, ...]
    strides: tuple[int, ...]
    dtype: np.dtype
    space: Space
    lead: tuple[Number, ...] = ()
    lead_shape: tuple[Number, ...] = ()
    outside: Any = None
    wrapped: Any = None

    @cached_property
    def length(self) -> int:
        """The number of elements of a whole one-dimensional array; 0 for any other view."""
        is_whole = self.outside is None and self.wrapped is None and self.strides == (1,)
        if not is_whole or isinstance(self.offset, np.ndarray) or self.offset != 0:
            return 0
        return 0 if isinstance(self.shape[0], np.ndarray) else int(self.shape[0])

    def extent(self, axis: int) -> Number:
        """The length along an axis; of all elements for -1."""
        if axis >= 0:
            return (
                np.int64(self.shape[axis])
                if isinstance(self.shape[axis], int)
                else self.shape[axis]
            )
        size: Number = np.int64(1)
        for extent in self.shape:
            size = size * extent
        return size

    def stride(self, axis: int) -> Number:
        """Bytes from one element to the next along an axis."""
        step = getattr(self.flat, "step", self.dtype.itemsize)
        return np.int64(self.strides[axis] * step)

    def part(self, parts: tuple[Any, ...]) -> View:
        """The sub-view at integers (which drop a dimension) and slices."""
        offset, shape, strides = self.offset, [], []
        lead, lead_shape = self.lead, self.lead_shape
        outside, wrapped = self.outside, self.wrapped
        for axis, extent in enumerate(self.shape):
            part = parts[axis] if axis < len(parts) else slice(None)
            step = self.strides[axis]
            if not isinstance(part, slice):
                below, at = part < 0, np.where(part < 0, part + extent, part)[()]
                bad = (at < 0) | (at >= extent)
                offset = offset + np.where(bad, 0, at)[()] * step
                outside, wrapped = _either(outside, bad), _either(wrapped, below)
                lead, lead_shape = (*lead, part), (*lead_shape, extent)
                continue
            begin, length, by = _slice(part, extent)
            offset = offset + begin * step
            shape.append(length)
            strides.append(step * by)
        return replace(
            self,
            offset=offset,
            shape=tuple(shape),
            strides=tuple(strides),
            lead=lead,
            lead_shape=lead_shape,
            outside=outside,
            wrapped=wrapped,
        )

    def field(self, name: str) -> View:
        """A field of each record, or the ``real`` or ``imag`` part of complex numbers."""
        if self.dtype.kind == "c":
            part = np.dtype(f"f{self.dtype.itemsize // 2}")
            return replace(self, flat=self.flat.field(name), dtype=part)
        inner = self.dtype.fields[name][0]  # type: ignore[index]
        if inner.subdtype is None:
            return replace(self, flat=self.flat.field(name), dtype=inner)
        base, extents = inner.subdtype
        return self._nested(name, base, extents)

    def _nested(self, name: str, base: np.dtype, extents: tuple[int, ...]) -> View:
        """A field that is an array in each record."""
        if not isinstance(self.flat, Flat):
            return self._nested_cells(name, base, extents)
        data = self.flat.data
        start = self.dtype.fields[name][1]  # type: ignore[index]
        step = data.strides[-1]
        if step % base.itemsize or start % base.itemsize:
            raise NotImplementedError("a nested array that is not aligned in its record")
        span = (data.shape[-1] - 1) * step + data.dtype.itemsize - start if data.size else 0
        shape = (*data.shape[:-1], max(span, 0) // base.itemsize)
        whole = _reinterpret(data, base, start, shape, (*data.strides[:-1], base.itemsize))
        flat = Flat(whole, self.flat.allocation, self.flat.start + start, base.itemsize)
        ratio = step // base.itemsize
        inner, stride = [], 1
        for extent in reversed(extents):
            inner.insert(0, stride)
            stride *= extent
        return replace(
            self,
            flat=flat,
            dtype=base,
            offset=self.offset * ratio,
            shape=(*self.shape, *map(np.int64, extents)),
            strides=(*(s * ratio for s in self.strides), *inner),
        )

    def _nested_cells(self, name: str, base: np.dtype, extents: tuple[int, ...]) -> View:
        """The same in local memory, where the fields' elements lie record by record."""
        inner, ratio = [], 1
        for extent in reversed(extents):
            inner.insert(0, ratio)
            ratio *= extent
        return replace(
            self,
            flat=self.flat.field(name),
            dtype=base,
            offset=self.offset * ratio,
            shape=(*self.shape, *map(np.int64, extents)),
            strides=(*(s * ratio for s in self.strides), *inner),
        )

    def retyped(self, dtype: np.dtype) -> View:
        """A view of one dimension over the same bytes, as elements of another type."""
        first = int(np.min(self.offset))
        if isinstance(self.flat, Flat):
            flat, offset = self.flat.retyped(dtype, first)
        else:
            flat, offset = recast(self.flat, dtype, first), np.int64(0)
        size = np.int64(int(np.max(self.shape[0])) * self.dtype.itemsize // dtype.itemsize)
        return replace(self, flat=flat, offset=offset, shape=(size,), strides=(1,), dtype=dtype)

    def reshaped(self, shape: tuple[Number, ...]) -> View:
        """The same elements in another shape; the view must be contiguous."""
        extents = tuple(int(np.max(n)) for n in self.shape)
        steps = zip(extents, self.strides, contiguous(extents), strict=True)
        if 0 not in extents and any(n > 1 and mine != whole for n, mine, whole in steps):
            raise GpueduError(
                f"`{self.name}` has gaps in its memory and cannot be reshaped in a kernel",
                remedy="index it in its own dimensions",
            )
        sizes = [int(extent) for extent in shape]
        if -1 in sizes:
            known = -int(np.prod(sizes))
            sizes[sizes.index(-1)] = int(self.extent(-1)) // known if known else 0
        strides, step = [], 1
        for extent in reversed(sizes):
            strides.insert(0, step)
            step *= extent
        return replace(self, shape=tuple(np.int64(n) for n in sizes), strides=tuple(strides))

    def transposed(self) -> View:
        """The dimensions in reverse order."""
        return replace(self, shape=self.shape[::-1], strides=self.strides[::-1])


def _either(known: Any, more: Any) -> Any:
    """The threads of either condition; None where there are none."""
    if not np.any(more):
        return known
    return more if known is None else known | more


def _reinterpret(
    data: np.ndarray, dtype: np.dtype, start: int, shape: tuple[int, ...], strides: tuple[int, ...]
) -> np.ndarray:
    """The memory of an array from byte ``start`` on, as another type."""
    if not data.size:
        return np.empty(shape, dtype)
    address = data.__array_interface__["data"][0] + start
    interface = {
        "data": (address, not data.flags.writeable),
        "shape": shape,
        "strides": strides,
        "typestr": dtype.str,
        "version": 3,
    }
    made = np.asarray(_Memory(interface, data))
    return made.view(dtype) if dtype.names else made  # the interface has no names of fields


class _Memory:
    """Memory that NumPy may look at; it keeps its owner alive."""

    def __init__(self, interface: dict[str, Any], owner: np.ndarray) -> None:
        self.__array_interface__ = interface
        self._owner = owner


def _slice(part: slice, extent: Number) -> tuple[Number, Number, int]:
    """Start, length and step of a slice of so many elements, by Python's rules."""
    step = 1 if part.step is None else int(part.step)
    low, high = (0, extent) if step > 0 else (-1, extent - 1)
    start = _bound(part.start, extent, low, high, low if step > 0 else high)
    stop = _bound(part.stop, extent, low, high, high if step > 0 else low)
    length = np.maximum(-((start - stop) // step) if step > 0 else -((stop - start) // -step), 0)
    return start, np.int64(length) if np.ndim(length) == 0 else length, step


def _bound(value: Any, extent: Number, low: Number, high: Number, missing: Number) -> Number:
    if value is None:
        return missing
    value = np.where(value < 0, value + extent, value)[()]
    return np.minimum(np.maximum(value, low), high)


def contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a C-contiguous array, in elements.

    >>> contiguous((2, 3, 4))
    (12, 4, 1)
    """
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= int(extent)
    return tuple(strides)
