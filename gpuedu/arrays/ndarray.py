"""The device array: the host knows shape and dtype, and reaches elements only by copies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.arrays.dtypes import require_dtype
from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError
from gpuedu.arrays.flags import Flags
from gpuedu.arrays.fusing import require_fusible, require_values
from gpuedu.arrays.lists import missing
from gpuedu.arrays.memory import Memory, MemoryPointer, allocate
from gpuedu.arrays.transfer import copied_to_device, copied_to_host
from gpuedu.simt.host import layout
from gpuedu.simt.host.buffers import DeviceView

SCALARS = (bool, int, float, complex, np.generic)


class ndarray:  # noqa: N801
    """An array in device memory.

    Args:
        shape: An extent, or a tuple of them.
        dtype: float64 unless given.
        memptr: Device memory to use instead of new memory.
        strides: Bytes from one element to the next along each axis.
        order: "C" or "F", if strides are not given.

    Its elements are undefined. ``device_view`` is what a kernel's launch takes: the memory, the
    place in it, shape, strides and dtype. Methods, operators and NumPy's protocols are attached
    by ``gpuedu.arrays.operators`` and ``protocol``.
    """

    __array_priority__ = 100

    def __init__(
        self,
        shape: Any,
        dtype: Any = float,
        memptr: MemoryPointer | None = None,
        strides: Any = None,
        order: str = "C",
    ) -> None:
        extents, kind = layout.shape_of(shape), _require_kind(np.dtype(dtype))
        steps = strides or layout.strides_by_order(extents, kind.itemsize, order or "C")
        if memptr is None:
            memptr = allocate(math.prod(extents) * kind.itemsize)
        elif not isinstance(memptr, MemoryPointer):
            raise DeviceArrayTypeError(
                f"`memptr` is {type(memptr).__name__}, not device memory", remedy="array.data"
            )
        view = DeviceView(memptr.mem.buffer, memptr.offset, extents, tuple(steps), kind)
        self._become(view, None)
        self._memory = memptr.mem

    @classmethod
    def on_view(cls, view: DeviceView, base: ndarray | None = None) -> ndarray:
        """An array on existing memory."""
        array = cls.__new__(cls)
        array._become(view, base)
        array._memory = base._memory if base is not None else _memory_of(view)
        return array

    def _become(self, view: DeviceView, base: ndarray | None) -> None:
        self.device_view = view
        self.base = base

    def part(self, elements: np.ndarray) -> ndarray:
        """A view of the memory that ``elements``, a NumPy array on this array's memory, covers."""
        require_fusible("a view")
        start = elements.__array_interface__["data"][0]
        offset = start - self.device_view.buffer.address if elements.size else 0
        view = replace(
            self.device_view,
            offset=offset,
            shape=elements.shape,
            strides=elements.strides,
            dtype=elements.dtype,
        )
        return ndarray.on_view(view, self.base if self.base is not None else self)

    def elements(self) -> np.ndarray:
        """The elements as a NumPy array on the device's memory: for the device's own work only."""
        return self.device_view.as_numpy()

    @property
    def dtype(self) -> np.dtype:
        """The elements' dtype."""
        return self.device_view.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis; set it to reshape in place."""
        return self.device_view.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        elements = self.elements()
        wanted = elements.reshape(shape)
        if wanted.size and not np.shares_memory(wanted, elements):
            raise AttributeError("incompatible shape")
        self.device_view = replace(self.device_view, shape=wanted.shape, strides=wanted.strides)

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each axis."""
        return self.device_view.strides

    @property
    def ndim(self) -> int:
        """How many axes."""
        return len(self.device_view.shape)

    @property
    def size(self) -> int:
        """How many elements."""
        return self.device_view.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def data(self) -> MemoryPointer:
        """Where the first element lies: ``data.ptr`` is the address."""
        return MemoryPointer(self._memory, self.device_view.offset)

    @property
    def device(self) -> Any:
        """The device that holds the array."""
        return self.data.device

    @property
    def flags(self) -> Flags:
        """How the elements lie: ``c_contiguous``, ``f_contiguous``, ``owndata``."""
        view = self.device_view
        found = [
            layout.is_contiguous(view.shape, view.strides, self.itemsize, order) for order in "CF"
        ]
        return Flags(found[0], found[1], self.base is None)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "stream": 1,
            "version": 3,
            "strides": None if self.flags.c_contiguous else self.strides,
            "data": (self.device_view.address, False),
        }

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise DeviceArrayTypeError(
            "Implicit conversion to a NumPy array is not allowed. "
            "Please use `.get()` to construct a NumPy array explicitly."
        )

    def get(
        self,
        stream: Any = None,
        order: str = "C",
        out: np.ndarray | None = None,
        blocking: bool = True,
    ) -> np.ndarray:
        """Copy the elements to the host: a NumPy array, or ``out``."""
        require_values("get()")
        if out is not None:
            self._require_like(out, "obtained from")
        found = self.elements()
        copied_to_host(self.nbytes, "get()", content=found)
        if out is None:
            return np.array(found, order=order.upper(), copy=True)
        out[...] = found
        return out

    def set(self, arr: np.ndarray, stream: Any = None) -> None:
        """Copy a host array of the same shape and dtype into this array."""
        self._require_like(arr, "set to")
        flags = self.flags
        if not (flags.c_contiguous or flags.f_contiguous):
            raise RuntimeError("Cannot set to non-contiguous array")
        copied_to_device(arr.nbytes, "set()", content=arr)
        self.elements()[...] = arr

    def _require_like(self, host: Any, doing: str) -> None:
        if not isinstance(host, np.ndarray):
            raise DeviceArrayTypeError(f"Only numpy.ndarray can be {doing} cupy.ndarray")
        if host.dtype != self.dtype:
            raise DeviceArrayTypeError(f"{host.dtype} array cannot be {doing} {self.dtype} array")
        if host.shape != self.shape:
            raise DeviceArrayValueError(
                f"Shape mismatch. Old shape: {self.shape}, new shape: {host.shape}"
            )

    def _read(self, cause: str) -> np.ndarray:
        """The elements on the host, by a copy that the code did not ask for by name."""
        require_values(cause)
        copied_to_host(self.nbytes, cause, hidden=cause)
        return self.elements().copy()

    def item(self) -> Any:
        """The only element as a Python number: a copy to the host."""
        if self.size != 1:
            raise DeviceArrayValueError("can only convert an array of size 1 to a Python scalar")
        return self._read("an element read on the host").item()

    def tolist(self) -> Any:
        """The elements as a list: a copy to the host."""
        return self._read("tolist()").tolist()

    def tobytes(self, order: str = "C") -> bytes:
        """The elements' bytes: a copy to the host."""
        return self._read("tobytes()").tobytes(order)

    def __bool__(self) -> bool:
        if self.size == 0:
            raise DeviceArrayValueError(
                "The truth value of an empty array is ambiguous. "
                "Use `array.size > 0` to check that an array is not empty."
            )
        if self.size > 1:
            raise DeviceArrayValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all()"
            )
        return bool(self._read("a truth value asked of a device array"))

    def __int__(self) -> int:
        return int(self._read("int() of a device array"))

    def __float__(self) -> float:
        return float(self._read("float() of a device array"))

    def __complex__(self) -> complex:
        return complex(self._read("complex() of a device array"))

    def __format__(self, spec: str) -> str:
        return format(self._read("formatting of a device array"), spec)

    def __repr__(self) -> str:
        return repr(self._read("repr() of a device array"))

    def __str__(self) -> str:
        return str(self._read("str() of a device array"))

    def __len__(self) -> int:
        if not self.shape:
            raise DeviceArrayTypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[ndarray]:
        if not self.shape:
            raise DeviceArrayTypeError("iteration over a 0-d array")
        return (self[at] for at in range(self.shape[0]))

    def __getattr__(self, name: str) -> Any:
        raise missing("cupy.ndarray", name)

    def __copy__(self) -> ndarray:
        return self.copy()

    def __deepcopy__(self, memo: dict) -> ndarray:
        return self.copy()

    __hash__ = None  # type: ignore[assignment]


def _require_kind(dtype: np.dtype) -> np.dtype:
    """Refuse what device memory cannot hold; raw kernels take records."""
    if dtype.hasobject:
        return require_dtype(np.dtype(object))
    return dtype if dtype.names else require_dtype(dtype)


def _memory_of(view: DeviceView) -> Memory:
    """Memory that another part of the machine made, as this one calls it."""
    memory = Memory.__new__(Memory)
    memory.buffer, memory.size = view.buffer, view.buffer.size_bytes
    return memory
