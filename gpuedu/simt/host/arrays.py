"""Making arrays in device memory, and host memory that the device can reach."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.simt.host import layout
from gpuedu.simt.host.buffers import Buffer, DeviceView, find_buffer, fresh_view
from gpuedu.simt.host.device_array import DeviceNDArray, DeviceRecord
from gpuedu.simt.host.device_memory import DeviceArrayBase
from gpuedu.simt.host.errors import CudaNotImplementedError, CudaTypeError, CudaValueError
from gpuedu.simt.host.names import dtype_of
from gpuedu.simt.host.streams import external_stream
from gpuedu.widths import as_array


def _description(
    shape: Any, dtype: Any, strides: Any, order: str
) -> tuple[layout.Shape, layout.Shape, np.dtype]:
    found = layout.shape_of(shape)
    kind = dtype_of(dtype) or np.dtype(dtype)
    if strides is None or strides == ():
        return found, layout.strides_by_order(found, kind.itemsize, order), kind
    steps = layout.shape_of(strides) if isinstance(strides, int) else tuple(map(int, strides))
    if len(steps) != len(found):
        raise CudaValueError("strides not match ndim")
    return found, steps, kind


def device_array(
    shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C", stream: Any = 0
) -> DeviceNDArray:
    """An array in device memory, its elements undefined.

    >>> device_array((2, 3), np.float32).strides
    (12, 4)
    """
    return DeviceNDArray(fresh_view(*_description(shape, dtype, strides, order)), stream)


def device_array_like(ary: Any, stream: Any = 0) -> DeviceNDArray:
    """A device array of the shape, dtype and order of ``ary``."""
    return device_array(ary.shape, ary.dtype, layout.compact_strides_like(ary), stream=stream)


def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: DeviceNDArray | None = None) -> Any:
    """Copy a host array, or a record, to the device.

    ``to`` is an array there to copy into. With ``copy=False`` the new elements stay undefined.

    Raises:
        CudaValueError: The array has gaps in its memory.
    """
    if to is not None:
        to.copy_to_device(obj, stream=stream)
        return to
    found, _ = auto_device(obj, stream=stream, copy=copy)
    return found


def auto_device(obj: Any, stream: Any = 0, copy: bool = True) -> tuple[DeviceArrayBase, bool]:
    """A device array for ``obj``, and whether it is new: what is on the device is used as it is."""
    known = on_device(obj)
    if known is not None:
        return known, False
    if isinstance(obj, np.void):
        record = DeviceRecord(fresh_view((), (), obj.dtype), stream)
        if copy:
            record.copy_to_device(np.asarray(obj))
        return record, True
    host = as_array(obj)
    if host.dtype.kind in "OUS":
        raise CudaTypeError(
            f"an array of {host.dtype} cannot be on the device: it holds numbers only",
            remedy="astype to a number's dtype",
        )
    layout.require_one_region(host)
    found = DeviceNDArray(fresh_view(host.shape, host.strides, host.dtype), stream)
    if copy:
        found.copy_to_device(host, stream=stream)
    return found, True


def on_device(obj: Any) -> DeviceArrayBase | None:
    """``obj`` as a device array if its elements are in device memory; otherwise None."""
    if isinstance(obj, DeviceArrayBase):
        return obj
    if isinstance(obj, ReachableArray) and obj.device_view is not None:
        return DeviceNDArray(obj.device_view)
    interface = getattr(obj, "__cuda_array_interface__", None)
    return None if interface is None else from_cuda_array_interface(interface)


def is_cuda_array(obj: Any) -> bool:
    """Whether ``obj`` offers the CUDA array interface."""
    return hasattr(obj, "__cuda_array_interface__")


def as_cuda_array(obj: Any, sync: bool = True) -> DeviceNDArray:
    """A device array on the memory of any object with the CUDA array interface."""
    if not is_cuda_array(obj):
        raise CudaTypeError(
            "*obj* doesn't implement the cuda array interface.", remedy="cuda.to_device(obj)"
        )
    return from_cuda_array_interface(obj.__cuda_array_interface__, owner=obj, sync=sync)


def from_cuda_array_interface(desc: dict, owner: Any = None, sync: bool = True) -> DeviceNDArray:
    """A device array on this machine's memory, described by the CUDA array interface.

    Raises:
        CudaValueError: The memory is not this machine's.
    """
    if desc.get("mask") is not None and desc["version"] >= 1:
        raise CudaNotImplementedError("Masked arrays are not supported")
    dtype = np.dtype(desc["typestr"])
    shape = tuple(desc["shape"])
    strides = desc.get("strides") or layout.strides_by_order(shape, dtype.itemsize, "C")
    address = desc["data"][0]
    view = DeviceView(Buffer(0), 0, shape, tuple(strides), dtype)
    if view.size:
        low, high = view.span()
        found = find_buffer(address + low, high - low)
        if found is None:
            raise CudaValueError(
                f"the address {address:#x} is in no device memory of this machine",
                remedy="take arrays that gpuedu.backend.cuda made",
            )
        buffer, start = found
        view = replace(view, buffer=buffer, offset=start - low)
    handle = desc.get("stream")
    stream = 0 if handle is None else external_stream(handle)
    if sync and handle is not None:
        stream.synchronize()
    return DeviceNDArray(view, stream)


class ReachableArray(np.ndarray):
    """A host array that the device can reach: mapped or managed memory. It is never copied.

    ``device_view`` is None for parts of it, which count as host arrays.
    """

    device_view: DeviceView | None = None
    stream: Any = 0

    def __array_finalize__(self, source: object) -> None:
        self.device_view, self.stream = None, 0

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.device_view is None:
            raise AttributeError("a part of mapped memory is a host array")
        return DeviceNDArray(self.device_view, self.stream).__cuda_array_interface__

    def copy_to_host(self, ary: np.ndarray | None = None, stream: Any = 0) -> np.ndarray:
        """The elements as a new host array, or in ``ary``."""
        assert self.device_view is not None
        return DeviceNDArray(self.device_view).copy_to_host(ary, stream)

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Copy ``ary`` into this array."""
        assert self.device_view is not None
        DeviceNDArray(self.device_view).copy_to_device(ary, stream)


def _reachable(shape: Any, dtype: Any, strides: Any, order: str, stream: Any) -> ReachableArray:
    view = fresh_view(*_description(shape, dtype, strides, order))
    found = view.as_numpy().view(ReachableArray)
    found.device_view, found.stream = view, stream
    return found


def mapped_array(
    shape: Any,
    dtype: Any = np.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
    portable: bool = False,
    wc: bool = False,
) -> ReachableArray:
    """A host array that the device reaches in place."""
    return _reachable(shape, dtype, strides, order, stream)


def mapped_array_like(
    ary: Any, stream: Any = 0, portable: bool = False, wc: bool = False
) -> ReachableArray:
    """A mapped array of the shape, dtype and order of ``ary``."""
    return mapped_array(ary.shape, ary.dtype, layout.compact_strides_like(ary), stream=stream)


def managed_array(
    shape: Any,
    dtype: Any = np.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
    attach_global: bool = True,
) -> ReachableArray:
    """An array in managed memory: host and device both reach it."""
    return _reachable(shape, dtype, strides, order, stream)


def pinned_array(
    shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C"
) -> np.ndarray:
    """A host array in page-locked memory: here, plain memory."""
    found, steps, kind = _description(shape, dtype, strides, order)
    return fresh_view(found, steps, kind).as_numpy()


def pinned_array_like(ary: Any) -> np.ndarray:
    """A pinned array of the shape, dtype and order of ``ary``."""
    return pinned_array(ary.shape, ary.dtype, layout.compact_strides_like(ary))


@contextmanager
def pinned(*arylist: np.ndarray) -> Iterator[None]:
    """Host arrays are page-locked inside the block: here, nothing changes."""
    yield


@contextmanager
def mapped(*arylist: np.ndarray, **kws: Any) -> Iterator[Any]:
    """Host arrays as device arrays on the same memory, inside the block; one or a list."""
    views = []
    for ary in arylist:
        layout.require_one_region(ary)
        low, high = DeviceView(Buffer(0), 0, ary.shape, ary.strides, ary.dtype).span()
        flat = np.lib.stride_tricks.as_strided(ary.view(np.ndarray), (1,) * ary.ndim)
        memory = (np.ctypeslib.ctypes.c_uint8 * (high - low)).from_address(flat.ctypes.data + low)
        buffer = Buffer(high - low, np.frombuffer(memory, np.uint8))
        buffer.owner = ary  # type: ignore[attr-defined]
        views.append(DeviceNDArray(DeviceView(buffer, -low, ary.shape, ary.strides, ary.dtype)))
    yield views[0] if len(views) == 1 else views
