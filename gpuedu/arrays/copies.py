"""Copies of bytes by address: what a ``MemoryPointer`` does with memory that has no array."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuedu.arrays.account import note_operation
from gpuedu.arrays.errors import CudaRuntimeError, DeviceArrayTypeError
from gpuedu.arrays.transfer import copied_to_device, copied_to_host

if TYPE_CHECKING:
    from gpuedu.arrays.memory import Memory, MemoryPointer


class Copies:
    """The copying methods of a place in device memory; sizes are in bytes.

    A host address is an int or a ``ctypes.c_void_p``, such as ``array.ctypes.data``: how much
    memory is there cannot be checked. Copies with a stream are done when they return.

    Each raises CudaRuntimeError where ``size`` passes the end of the allocation, and
    DeviceArrayTypeError for what is not an address.
    """

    mem: Memory
    offset: int

    def copy_from_host(self, mem: Any, size: int) -> None:
        """Copy from a host address to here."""
        self._bytes(size)[...] = np.frombuffer(ctypes.string_at(_host(mem), size), np.uint8)
        copied_to_device(size, "copy_from_host()")

    def copy_to_host(self, mem: Any, size: int) -> None:
        """Copy from here to a host address."""
        ctypes.memmove(_host(mem), self._bytes(size).tobytes(), size)
        copied_to_host(size, "copy_to_host()")

    def copy_from_device(self, src: MemoryPointer, size: int) -> None:
        """Copy from another place of the device to here."""
        if not isinstance(src, Copies):
            raise DeviceArrayTypeError(
                f"the source is {type(src).__name__}, not device memory", remedy="array.data"
            )
        self._bytes(size)[...] = src._bytes(size).copy()
        note_operation("copy_from_device", size, size)

    def copy_from(self, mem: Any, size: int) -> None:
        """Copy from a place of the device, or from a host address, to here."""
        if isinstance(mem, Copies):
            self.copy_from_device(mem, size)
        else:
            self.copy_from_host(mem, size)

    def memset(self, value: int, size: int) -> None:
        """Set each byte to ``value``."""
        self._bytes(size)[...] = value & 0xFF
        note_operation("memset", 0, size)

    def copy_from_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """As ``copy_from_host``."""
        self.copy_from_host(mem, size)

    def copy_to_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """As ``copy_to_host``."""
        self.copy_to_host(mem, size)

    def copy_from_device_async(self, src: MemoryPointer, size: int, stream: Any = None) -> None:
        """As ``copy_from_device``."""
        self.copy_from_device(src, size)

    def copy_from_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """As ``copy_from``."""
        self.copy_from(mem, size)

    def memset_async(self, value: int, size: int, stream: Any = None) -> None:
        """As ``memset``."""
        self.memset(value, size)

    def _bytes(self, size: int) -> np.ndarray:
        """The (size,) bytes from here on."""
        left = self.mem.size - self.offset
        if not 0 <= size <= left:
            raise CudaRuntimeError(
                f"cudaErrorInvalidValue: invalid argument: {size:,} bytes where {left:,} are left",
                remedy="the size is in bytes: `array.nbytes`",
            )
        return self.mem.buffer.data[self.offset : self.offset + size]


def _host(mem: Any) -> int:
    address = mem.value if isinstance(mem, ctypes.c_void_p) else mem
    if isinstance(address, bool) or not isinstance(address, int | np.integer) or not address:
        raise DeviceArrayTypeError(
            f"{type(mem).__name__} is not a host address", remedy="`array.ctypes.data`"
        )
    return int(address)
