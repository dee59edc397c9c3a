"""What device arrays and records share: a view of device memory, and copies from and to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.simt.host import layout
from gpuedu.simt.host.buffers import DeviceView
from gpuedu.simt.host.errors import CudaNotImplementedError
from gpuedu.simt.host.transfers import Direction, note_transfer


class DeviceArrayBase:
    """What arrays and records on the device share.

    ``shape``, ``strides`` (bytes), ``dtype``, ``ndim``, ``size`` and ``stream`` are known to the
    host; elements are not.
    """

    __cuda_memory__ = True
    __cuda_ndarray__ = True
    __array_priority__ = 100.0

    def __init__(self, view: DeviceView, stream: Any = 0) -> None:
        self.device_view = view
        self.stream = stream
        self.shape, self.strides, self.dtype = view.shape, view.strides, view.dtype
        self.ndim, self.size = len(view.shape), view.size
        low, high = view.span()
        self.alloc_size = high - low

    @property
    def nbytes(self) -> int:
        """Bytes of its elements."""
        return self.size * self.dtype.itemsize

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        compact = self.is_c_contiguous()
        stream = int(getattr(self.stream, "handle", self.stream) or 0)
        return {
            "shape": self.shape,
            "strides": None if compact else self.strides,
            "data": (self.device_view.address, False),
            "typestr": self.dtype.str,
            "stream": stream or None,
            "version": 3,
        }

    @property
    def _numba_type_(self) -> Any:
        """Numba's type, for signatures; broadcast arrays have layout A as there."""
        from numba import from_dtype, types

        kind = from_dtype(self.dtype)
        broadcast = 0 in self.strides and self.size != 0
        orders = [("C", self.is_c_contiguous()), ("F", self.is_f_contiguous())]
        found = [order for order, holds in orders if holds and not broadcast]
        return types.Array(kind, self.ndim, found[0] if found else "A")

    def is_c_contiguous(self) -> bool:
        """Whether elements are contiguous, with the last axis fastest."""
        return layout.is_contiguous(self.shape, self.strides, self.dtype.itemsize, "C")

    def is_f_contiguous(self) -> bool:
        """Whether elements are contiguous, with the first axis fastest."""
        return layout.is_contiguous(self.shape, self.strides, self.dtype.itemsize, "F")

    @property
    def flags(self) -> dict[str, bool]:
        """``C_CONTIGUOUS`` and ``F_CONTIGUOUS``."""
        return {"C_CONTIGUOUS": self.is_c_contiguous(), "F_CONTIGUOUS": self.is_f_contiguous()}

    def bind(self, stream: Any = 0) -> Any:
        """The same memory with another default stream."""
        return type(self)(self.device_view, stream)

    def copy_to_host(self, ary: np.ndarray | None = None, stream: Any = 0) -> np.ndarray:
        """Copy to ``ary``, or to a new array; returns the host's array.

        Raises:
            CudaTypeError: ``ary`` has another dtype.
            CudaValueError: ``ary`` has another shape or order.
            CudaNotImplementedError: The array runs backwards through memory.
        """
        if any(step < 0 for step in self.strides):
            raise CudaNotImplementedError(
                f"D->H copy not implemented for negative strides: {self.strides}",
                remedy="copy the whole array and reverse it on the host",
            )
        source = self.device_view.as_numpy()
        if ary is None:
            ary = self._like_on_host()
        else:
            layout.require_same_form(source, ary)
        if self.size:
            note_transfer(Direction.DEVICE_TO_HOST, self.alloc_size, "copy_to_host")
            layout.without_repeats(ary)[...] = layout.without_repeats(source).reshape(
                layout.without_repeats(ary).shape
            )
        return ary

    def _like_on_host(self) -> np.ndarray:
        memory = np.empty(self.alloc_size, np.uint8)
        return np.ndarray(self.shape, self.dtype, memory.data, 0, self.strides)

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Copy ``ary``, on the host or the device, into this array.

        Raises:
            CudaTypeError: ``ary`` has another dtype.
            CudaValueError: ``ary`` has another shape, or has gaps in its memory.
        """
        if ary.size == 0:
            return
        mine = self.device_view.as_numpy()
        layout.require_one_region(mine)
        core = layout.without_repeats(mine)
        if isinstance(ary, DeviceArrayBase):
            theirs = ary.device_view.as_numpy()
            layout.require_one_region(theirs)
            direction, what = Direction.DEVICE_TO_DEVICE, "copy_to_device"
        else:
            theirs = np.asanyarray(ary)
            direction, what = Direction.HOST_TO_DEVICE, "copy_to_device"
        other = layout.without_repeats(theirs)
        if direction is Direction.HOST_TO_DEVICE:
            other = np.asarray(other, order="C" if core.flags.c_contiguous else "F")
        layout.require_same_form(core, other)
        note_transfer(direction, self.alloc_size, what)
        core[...] = other.reshape(core.shape)
