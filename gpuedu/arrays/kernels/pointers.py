"""Arguments of a raw kernel: what has no type of its own gets that of its parameter."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.arrays.kernels.launching import on_device
from gpuedu.arrays.memory import MemoryPointer
from gpuedu.simt.cuda_c.types import CType, Pointer, Void, dimensions, dtype_of
from gpuedu.simt.host.buffers import Buffer, DeviceView


def pointed(value: Any, type_: CType | None) -> Any:
    """An argument as the launch takes it.

    Args:
        value: A device array, a number, a record, a host array of one element (its element is
            passed), the memory of an array (``x.data``), or None, a null pointer.
        type_: The parameter's type, where it is known.

    Raises:
        DeviceArrayTypeError: A host array of more elements, or anything else.
    """
    if isinstance(value, np.ndarray) and value.size == 1:
        return value.reshape(())[()]
    if value is None:
        return _memory(Buffer(0), 0, type_)
    if isinstance(value, MemoryPointer):
        return _memory(value.mem.buffer, value.offset, type_)
    return on_device(value)


def _memory(buffer: Buffer, offset: int, type_: CType | None) -> DeviceView:
    """All elements from an address to the end of its allocation."""
    dtype = np.dtype(np.uint8)
    if isinstance(type_, Pointer):
        inner, _ = dimensions(type_.target)
        dtype = dtype if isinstance(inner, Void) else dtype_of(inner)
    count = max(buffer.size_bytes - offset, 0) // dtype.itemsize
    return DeviceView(buffer, offset, (count,), (dtype.itemsize,), dtype)
