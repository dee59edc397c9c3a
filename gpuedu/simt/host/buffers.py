"""Device memory: flat buffers that the host reaches only by copies, and views on them."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field

import numpy as np

from gpuedu.simt.host.errors import CudaValueError

_ALIGNMENT = 256  # what cudaMalloc promises: CUDA C++ Programming Guide, "Device Memory Accesses"
_live: weakref.WeakValueDictionary[int, Buffer] = weakref.WeakValueDictionary()


class Buffer:
    """One allocation of ``size_bytes``; ``data`` is (size_bytes,) uint8.

    The content of fresh memory is undefined; here it is zero or whatever the process left there.

    >>> Buffer(6).data.shape
    (6,)
    """

    def __init__(self, size_bytes: int, data: np.ndarray | None = None) -> None:
        if data is None:
            raw = np.empty(size_bytes + _ALIGNMENT, np.uint8)
            start = -raw.ctypes.data % _ALIGNMENT
            data = raw[start : start + size_bytes]
        self.data = data
        self.address = data.ctypes.data if size_bytes else 0
        if size_bytes:
            _live[self.address] = self

    @property
    def size_bytes(self) -> int:
        """Bytes of the allocation."""
        return self.data.size


@dataclass(frozen=True, eq=False)
class DeviceView:
    """An array in device memory, in the machine's form.

    Args:
        buffer: The allocation.
        offset: Bytes from its start to element (0, ..., 0).
        shape: Elements along each axis.
        strides: Bytes from one element to the next along each axis; negative ones and 0 may occur.
        dtype: The element's dtype; structured ones may occur, as may an ndim of 0.
        readonly: True for a host array that NumPy marks as read-only.
    """

    buffer: Buffer
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype
    readonly: bool = field(default=False)

    @property
    def size(self) -> int:
        """How many elements."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def address(self) -> int:
        """The address of the first element; 0 for no elements."""
        return self.buffer.address + self.offset if self.size else 0

    def span(self) -> tuple[int, int]:
        """The first byte that the view covers and the byte after the last, within the buffer."""
        if not self.size:
            return self.offset, self.offset
        reach = [(n - 1) * step for n, step in zip(self.shape, self.strides, strict=True)]
        low = sum(r for r in reach if r < 0)
        high = sum(r for r in reach if r > 0)
        return self.offset + low, self.offset + high + self.dtype.itemsize

    def as_numpy(self) -> np.ndarray:
        """The elements as an ndarray on the same memory: for the device's own work only.

        Raises:
            CudaValueError: Some are outside the allocation, or are Python objects.
        """
        self._require_inside()
        data = self.buffer.data if self.size else np.empty(0, np.uint8)
        offset = self.offset if self.size else 0
        return np.ndarray(self.shape, self.dtype, data.data, offset, self.strides)

    def _require_inside(self) -> None:
        """Refuse what NumPy lets by: no memory at all, and distances that overflow its integers."""
        begin, end = self.span()
        if self.size and not 0 <= begin <= end <= self.buffer.size_bytes:
            raise CudaValueError(
                f"an array from byte {begin:,} to {end:,} of {self.buffer.size_bytes:,} bytes",
                remedy="a smaller shape, or more memory",
            )
        if self.dtype.hasobject:
            raise CudaValueError(f"device memory holds no {self.dtype}", remedy="a number type")


def fresh_view(shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype) -> DeviceView:
    """A view on new memory that is just large enough."""
    low, high = DeviceView(_NOTHING, 0, shape, strides, dtype).span()
    return DeviceView(Buffer(high - low), -low, shape, strides, dtype)


def find_buffer(address: int, size_bytes: int) -> tuple[Buffer, int] | None:
    """The live allocation that holds these bytes, and their offset in it; None if none does."""
    for start, buffer in list(_live.items()):
        if start <= address and address + size_bytes <= start + buffer.size_bytes:
            return buffer, address - start
    return None


def used_bytes() -> int:
    """Bytes of all live allocations."""
    return sum(buffer.size_bytes for buffer in list(_live.values()))


_NOTHING = Buffer(0)
