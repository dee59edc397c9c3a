"""Arrays in device memory as the host sees them: shapes directly, elements only by copy."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.simt.host import layout
from gpuedu.simt.host.buffers import DeviceView, fresh_view
from gpuedu.simt.host.device_memory import DeviceArrayBase
from gpuedu.simt.host.errors import (
    CudaIndexError,
    CudaNotImplementedError,
    CudaTypeError,
    CudaValueError,
)
from gpuedu.simt.host.transfers import Direction, hidden_copies, note_transfer
from gpuedu.widths import as_array


class DeviceNDArray(DeviceArrayBase):
    """An array in device memory.

    Reading an element (``a[3]``), iterating and ``np.asarray(a)`` work, each as a hidden copy.
    """

    def __len__(self) -> int:
        if not self.shape:
            raise CudaTypeError("len() of an array without dimensions")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<device array: shape {self.shape}, {self.dtype}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise CudaValueError("`copy=False` is not supported. A copy is always created.")
        with hidden_copies("a device array taken for a NumPy array"):
            found = self.copy_to_host()
        return found if dtype is None else found.astype(dtype)

    def __iter__(self) -> Iterator[Any]:
        for index in range(len(self)):
            yield self[index]

    def __getitem__(self, item: Any) -> Any:
        return self.getitem(item)

    def getitem(self, item: Any, stream: Any = 0) -> Any:
        """A view on the device, or a copied element."""
        view = self._part(item)
        if view.shape != () or _has_ellipsis(item):
            return DeviceNDArray(view, stream or self.stream)
        if self.dtype.names is not None:
            return DeviceRecord(view, stream or self.stream)
        with hidden_copies("an element read on the host"):
            return DeviceArrayBase(view).copy_to_host()[()]

    def _part(self, item: Any) -> DeviceView:
        _require_simple_index(item)
        whole = self.device_view.as_numpy()
        key = item if isinstance(item, tuple) else (item,)
        try:
            part = whole[(*key, ...)] if not _has_ellipsis(item) else whole[key]
        except IndexError as fault:
            raise CudaIndexError(f"{fault} (shape {self.shape})") from None
        start = part.ctypes.data - whole.ctypes.data if part.size and whole.size else 0
        offset = self.device_view.offset + start
        return replace(self.device_view, offset=offset, shape=part.shape, strides=part.strides)

    def __setitem__(self, item: Any, value: Any) -> None:
        self.setitem(item, value)

    def setitem(self, item: Any, value: Any, stream: Any = 0) -> None:
        """Write to a part of the array: on the device, after copying what the host passed."""
        part = self._part(item).as_numpy()
        given = value.device_view.as_numpy() if isinstance(value, DeviceArrayBase) else None
        if given is None:
            given = as_array(value)
            with hidden_copies("a value written from the host"):
                note_transfer(Direction.HOST_TO_DEVICE, given.nbytes, "setitem")
        if given.ndim > part.ndim:
            raise CudaValueError(f"Can't assign {given.ndim}-D array to {part.ndim}-D self")
        for axis, (mine, theirs) in enumerate(
            zip(part.shape[part.ndim - given.ndim :], given.shape, strict=True)
        ):
            if theirs not in (1, mine):
                raise CudaValueError(
                    f"Can't copy sequence with size {theirs} to array axis "
                    f"{axis + part.ndim - given.ndim} with dimension {mine}"
                )
        part[...] = given

    @property
    def T(self) -> DeviceNDArray:  # noqa: N802
        """The transposed array, copied on the device."""
        return self.transpose()

    def transpose(self, axes: tuple[int, ...] | None = None) -> DeviceNDArray:
        """The transposed copy of a 2-D array."""
        if axes is not None and tuple(axes) == tuple(range(self.ndim)):
            return self
        if self.ndim != 2:
            raise CudaNotImplementedError("transposing a non-2D DeviceNDArray isn't supported")
        if axes is not None and set(axes) != {0, 1}:
            raise CudaValueError(f"invalid axes list {axes!r}")
        shape = self.shape[::-1]
        strides = layout.strides_by_order(shape, self.dtype.itemsize, "C")
        view = fresh_view(shape, strides, self.dtype)
        view.as_numpy()[...] = self.device_view.as_numpy().T
        return DeviceNDArray(view, self.stream)

    def reshape(self, *newshape: Any, order: str = "C") -> DeviceNDArray:
        """The same memory in another shape; one extent may be -1."""
        wanted = newshape[0] if len(newshape) == 1 else newshape
        whole = self.device_view.as_numpy()
        shape = wanted if isinstance(wanted, (tuple, list)) else (wanted,)
        try:
            found = whole.reshape(tuple(shape), order=order)
        except ValueError as fault:
            raise CudaValueError(str(fault)) from None
        if self.size and not np.shares_memory(found, whole):
            raise CudaNotImplementedError("operation requires copying")
        return DeviceNDArray(
            replace(self.device_view, shape=found.shape, strides=found.strides), self.stream
        )

    def ravel(self, order: str = "C", stream: Any = 0) -> DeviceNDArray:
        """The same memory along one axis."""
        if order == "A":
            order = "C" if self.is_c_contiguous() else "F"
        if order not in ("C", "F"):
            raise CudaNotImplementedError(f"order {order!r}: only 'C', 'F' and 'A' are supported")
        flat = self.is_c_contiguous() if order == "C" else self.is_f_contiguous()
        if not flat:
            raise CudaNotImplementedError("operation requires copying")
        view = replace(self.device_view, shape=(self.size,), strides=(self.dtype.itemsize,))
        return DeviceNDArray(view, stream or self.stream)

    def squeeze(self, axis: int | tuple[int, ...] | None = None, stream: Any = 0) -> DeviceNDArray:
        """The same memory without axes of one element."""
        try:
            found = self.device_view.as_numpy().squeeze(axis)
        except ValueError as fault:
            raise CudaValueError(str(fault)) from None
        view = replace(self.device_view, shape=found.shape, strides=found.strides)
        return DeviceNDArray(view, stream or self.stream)

    def view(self, dtype: Any) -> DeviceNDArray:
        """The same bytes read as another dtype."""
        wanted = np.dtype(dtype)
        shape, strides = list(self.shape), list(self.strides)
        if wanted.itemsize != self.dtype.itemsize:
            if not self.is_c_contiguous():
                raise CudaValueError(
                    "To change to a dtype of a different size, the array must be C-contiguous"
                )
            shape[-1], rest = divmod(shape[-1] * self.dtype.itemsize, wanted.itemsize)
            if rest:
                raise CudaValueError(
                    "When changing to a larger dtype, its size must be a divisor of the total "
                    "size in bytes of the last axis of the array."
                )
            strides[-1] = wanted.itemsize
        view = replace(self.device_view, shape=tuple(shape), strides=tuple(strides), dtype=wanted)
        return DeviceNDArray(view, self.stream)

    def split(self, section: int, stream: Any = 0) -> Iterator[DeviceNDArray]:
        """Views of ``section`` elements each; the last may be shorter."""
        if self.ndim != 1:
            raise CudaValueError("only support 1d array")
        if self.strides[0] != self.dtype.itemsize:
            raise CudaValueError("only support unit stride")
        for start in range(math.ceil(self.size / section)):
            yield self[start * section : (start + 1) * section].bind(stream or self.stream)


class DeviceRecord(DeviceArrayBase):
    """One structured element in device memory; its fields are read by name, as hidden copies."""

    @property
    def _numba_type_(self) -> Any:
        """Numba's type of the record."""
        from numba import from_dtype

        return from_dtype(self.dtype)

    def __getitem__(self, name: str) -> Any:
        return self.getitem(name)

    def getitem(self, name: str, stream: Any = 0) -> Any:
        """A field: a copied number, a record or an array on the device."""
        view = self._field(name)
        if view.shape != ():
            return DeviceNDArray(view, stream or self.stream)
        if view.dtype.names is not None:
            return DeviceRecord(view, stream or self.stream)
        with hidden_copies("a field read on the host"):
            return DeviceArrayBase(view).copy_to_host()[()]

    def __setitem__(self, name: str, value: Any) -> None:
        self.setitem(name, value)

    def setitem(self, name: str, value: Any, stream: Any = 0) -> None:
        """Write a field from the host."""
        part = self._field(name).as_numpy()
        with hidden_copies("a value written from the host"):
            note_transfer(Direction.HOST_TO_DEVICE, part.nbytes, "setitem")
        part[...] = value

    def _field(self, name: str) -> DeviceView:
        kind, offset = self.dtype.fields[name][:2]
        base, shape = kind.subdtype or (kind, ())
        strides = layout.strides_by_order(shape, base.itemsize, "C")
        return DeviceView(
            self.device_view.buffer, self.device_view.offset + offset, shape, strides, base
        )


def _has_ellipsis(item: Any) -> bool:
    return item is Ellipsis or (isinstance(item, tuple) and any(i is Ellipsis for i in item))


def _require_simple_index(item: Any) -> None:
    """Integers, slices and one ellipsis: what an index on a device array is made of."""
    for part in item if isinstance(item, tuple) else (item,):
        if part is Ellipsis or isinstance(part, slice):
            continue
        if isinstance(part, (bool, np.bool_)) or not _is_integer(part):
            raise CudaTypeError(
                f"a device array cannot be indexed with {part!r}, only with integers, slices "
                "and ...",
                remedy="copy it to the host for anything else, or write a kernel",
            )


def _is_integer(part: Any) -> bool:
    try:
        operator.index(part)
    except TypeError:
        return False
    return True
