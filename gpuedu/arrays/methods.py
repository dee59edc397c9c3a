"""Methods of device arrays that do more than call the function of the same name."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.arrays import indexing
from gpuedu.arrays.account import note_operation
from gpuedu.arrays.creation import empty_like
from gpuedu.arrays.dtypes import require_dtype
from gpuedu.arrays.elementwise import UFUNCS, into
from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError
from gpuedu.arrays.ndarray import ndarray
from gpuedu.arrays.wrap import new, touched_bytes


def astype(
    self: ndarray,
    dtype: Any,
    order: str = "K",
    casting: str | None = None,
    subok: Any = None,
    copy: bool = True,
) -> ndarray:
    """The elements as another dtype; with ``copy=False`` the array itself if nothing changes."""
    if casting is not None and not np.can_cast(self.dtype, dtype, casting):
        raise DeviceArrayTypeError(
            f"Cannot cast array data from {self.dtype!r} to {np.dtype(dtype)!r} "
            f"according to the rule '{casting}'"
        )
    kind = require_dtype(np.dtype(dtype))
    flags = self.flags
    in_order = {"C": flags.c_contiguous, "F": flags.f_contiguous}.get(order.upper(), True)
    if not copy and kind == self.dtype and in_order:
        return self
    return _written(empty_like_quietly(self, kind, order), self, "astype")


def copy(self: ndarray, order: str = "C") -> ndarray:
    """A new array with the same elements."""
    return _written(empty_like_quietly(self, self.dtype, order), self, "copy")


def empty_like_quietly(array: ndarray, dtype: np.dtype, order: str) -> ndarray:
    """An array to be written at once; ``order`` "A" is F if the array is, otherwise C."""
    if order.upper() == "A":
        order = "F" if array.flags.fnc else "C"
    return empty_like(array, dtype, order)


def _written(result: ndarray, source: ndarray, name: str) -> ndarray:
    with np.errstate(all="ignore"):
        result.elements()[...] = source.elements()
    note_operation(name, touched_bytes(source), result.nbytes)
    return result


def view(self: ndarray, dtype: Any = None, type: Any = None) -> ndarray:
    """The same memory, as another dtype if one is given."""
    elements = self.elements()
    return self.part(elements if dtype is None else elements.view(require_dtype(np.dtype(dtype))))


def reshape(self: ndarray, *shape: Any, order: str = "C", copy: bool | None = None) -> ndarray:
    """The same elements in another shape: a view where that is possible."""
    wanted = shape[0] if len(shape) == 1 else shape
    elements = self.elements()
    found = elements.reshape(wanted, order=order)  # type: ignore[call-overload]
    if np.shares_memory(found, elements) or not found.size:
        return self.part(found).copy() if copy else self.part(found)
    if copy is False:
        raise DeviceArrayValueError("Unable to avoid creating a copy while reshaping.")
    result = new(found)
    note_operation("reshape", self.nbytes, result.nbytes)
    return result


def flatten(self: ndarray, order: str = "C") -> ndarray:
    """A copy along one axis."""
    result = new(self.elements().flatten(order))
    note_operation("flatten", touched_bytes(self), result.nbytes)
    return result


def transpose(self: ndarray, *axes: Any) -> ndarray:
    """A view with the axes in another order, reversed by default."""
    return self.part(self.elements().transpose(*axes))


def fill(self: ndarray, value: Any) -> None:
    """Write a number to all elements."""
    if isinstance(value, np.ndarray):
        if value.shape:
            raise DeviceArrayValueError("non-scalar numpy.ndarray cannot be used for fill")
        value = value.item()
    into(self, "fill", value)


def sort(self: ndarray, axis: int = -1, kind: Any = None) -> None:
    """Sort in place along an axis."""
    self.elements().sort(axis)
    note_operation("sort", self.nbytes, self.nbytes)


def partition(self: ndarray, kth: Any, axis: int = -1) -> None:
    """Put the elements in place around the ``kth``, along an axis."""
    self.elements().partition(kth, axis)
    note_operation("partition", self.nbytes, self.nbytes)


def scatter_add(self: ndarray, slices: Any, value: Any) -> None:
    """Add to elements in place, each as often as it is named; as ``cupyx.scatter_add``."""
    indexing.scatter(self, slices, value, np.add, "scatter_add")


def scatter_max(self: ndarray, slices: Any, value: Any) -> None:
    """Raise elements to at least ``value`` in place; as ``cupyx.scatter_max``."""
    indexing.scatter(self, slices, value, np.maximum, "scatter_max")


def scatter_min(self: ndarray, slices: Any, value: Any) -> None:
    """Lower elements to at most ``value`` in place; as ``cupyx.scatter_min``."""
    indexing.scatter(self, slices, value, np.minimum, "scatter_min")


def conjugate(self: ndarray) -> ndarray:
    """The complex conjugate: the array itself if it is real."""
    return UFUNCS["conjugate"](self) if self.dtype.kind == "c" else self


def set_real(self: ndarray, value: Any) -> None:
    """Write the real part."""
    into(self.real, "real", value)


def set_imag(self: ndarray, value: Any) -> None:
    """Write the imaginary part; TypeError where there is none."""
    if self.dtype.kind != "c":
        raise DeviceArrayTypeError("cannot set imaginary part of a real array")
    into(self.imag, "imag", value)


def real(self: ndarray) -> ndarray:
    """The real part: a view."""
    return self.part(self.elements().real)


def imag(self: ndarray) -> ndarray:
    """The imaginary part: a view of a complex array, otherwise zeros."""
    if self.dtype.kind != "c":
        return into(ndarray(self.shape, self.dtype), "imag", 0)
    return self.part(self.elements().imag)


def transposed(self: ndarray) -> ndarray:
    """The array with its axes reversed: a view."""
    return self.part(self.elements().T)


def matrix_transposed(self: ndarray) -> ndarray:
    """The array with its last two axes swapped: a view."""
    return self.part(self.elements().mT)
