"""Making device arrays: from host data, which is a copy, or on the device."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.arrays.account import note_operation
from gpuedu.arrays.dtypes import require_dtype
from gpuedu.arrays.elementwise import into
from gpuedu.arrays.errors import DeviceArrayTypeError, NotInStandInError
from gpuedu.arrays.fusing import require_fusible
from gpuedu.arrays.ndarray import ndarray
from gpuedu.arrays.transfer import copied_to_device
from gpuedu.arrays.wrap import from_interface, new, touched_bytes, unsupported
from gpuedu.simt.host.layout import compact_strides_like
from gpuedu.widths import as_array, as_dtype


def array(
    obj: Any,
    dtype: Any = None,
    copy: bool | None = True,
    order: str | None = "K",
    subok: bool = False,
    ndmin: int = 0,
    *,
    blocking: bool = False,
) -> ndarray:
    """``cupy.array``: a device array from a number, list, host array or device array."""
    if subok:
        raise NotInStandInError("cupy.array(subok=True) is not supported", remedy="leave subok out")
    require_fusible("array")
    if not isinstance(obj, ndarray) and hasattr(obj, "__cuda_array_interface__"):
        obj = from_interface(obj)
    if isinstance(obj, (list, tuple)) and _holds_device_arrays(obj):
        obj = _stacked(obj)
        copy = False
    if isinstance(obj, ndarray):
        found = obj.astype(dtype or obj.dtype, order=order or "K", copy=bool(copy))
        missing = (1,) * (ndmin - found.ndim)
        return found.reshape(missing + found.shape) if missing else found
    given = as_array(obj) if dtype is None else obj
    kind = None if dtype is None else as_dtype(dtype)
    host = np.array(given, dtype=kind, order=order or "K", ndmin=ndmin, copy=None)
    host = host.astype(host.dtype.newbyteorder("="), copy=False)
    require_dtype(host.dtype)
    if host.ndim:
        copied_to_device(host.nbytes, "array()", content=host)
    else:
        note_operation("fill", 0, host.nbytes)
    return new(host, order="F" if host.flags.fnc else "C")


def _holds_device_arrays(items: Any) -> bool:
    if not isinstance(items, (list, tuple)):
        return isinstance(items, ndarray)
    return any(_holds_device_arrays(item) for item in items)


def _stacked(items: Any) -> ndarray:
    """A nested list of device arrays of one shape, as one array."""
    parts = [_stacked(item) if isinstance(item, (list, tuple)) else item for item in items]
    if not all(isinstance(part, ndarray) and part.shape == parts[0].shape for part in parts):
        raise DeviceArrayTypeError(
            "a list of device arrays becomes an array only if all have the same shape and it "
            "holds nothing else",
            remedy="cp.stack or cp.concatenate",
        )
    result = ndarray((len(parts), *parts[0].shape), np.result_type(*(p.dtype for p in parts)))
    np.stack([part.elements() for part in parts], out=result.elements())
    note_operation("concatenate", sum(map(touched_bytes, parts)), result.nbytes)
    return result


def asarray(
    a: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    copy: bool | None = None,
    blocking: bool = False,
) -> ndarray:
    """``cupy.asarray``: ``a`` itself if it is on the device with this dtype, otherwise a copy."""
    return array(a, dtype, copy=bool(copy), order=order)


def ascontiguousarray(a: Any, dtype: Any = None) -> ndarray:
    """``cupy.ascontiguousarray``: in C order, with at least one axis."""
    return array(a, dtype, copy=False, order="C", ndmin=1)


def asfortranarray(a: Any, dtype: Any = None) -> ndarray:
    """``cupy.asfortranarray``: in F order."""
    return array(a, dtype, copy=False, order="F")


def asnumpy(
    a: Any,
    stream: Any = None,
    order: str = "C",
    out: np.ndarray | None = None,
    *,
    blocking: bool = True,
) -> np.ndarray:
    """``cupy.asnumpy``: a device array copied to the host; host data as a NumPy array."""
    if isinstance(a, ndarray):
        return a.get(stream, order, out)
    if hasattr(a, "__cuda_array_interface__"):
        return from_interface(a).get(stream, order, out)
    found = np.asarray(a, order=order)  # type: ignore[call-overload]
    if out is None:
        return found
    out[...] = found
    return out


def copy(a: Any, order: str = "K") -> ndarray:
    """``cupy.copy``: a new array with the same elements."""
    if not isinstance(a, ndarray):
        raise unsupported(a)
    return a.copy(order)


def empty(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    """``cupy.empty``: an array whose elements are undefined.

    Here floats are NaN, so that reading before writing shows.
    """
    result = ndarray(shape, require_dtype(as_dtype(dtype)), order=order)
    _spoil(result)
    return result


def _spoil(array: ndarray) -> None:
    kind = array.dtype.kind
    array.elements()[...] = np.nan if kind in "fc" else np.asarray(93).astype(array.dtype)


def zeros(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    """``cupy.zeros``: an array of zeros."""
    return into(ndarray(shape, require_dtype(as_dtype(dtype)), order=order), "zeros", 0)


def ones(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    """``cupy.ones``: an array of ones."""
    return into(ndarray(shape, require_dtype(as_dtype(dtype)), order=order), "ones", 1)


def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C") -> ndarray:
    """``cupy.full``: an array of one value, with its dtype unless another is given."""
    if dtype is None:
        on_device = isinstance(fill_value, ndarray)
        dtype = fill_value.dtype if on_device else as_array(fill_value).dtype
    return into(ndarray(shape, require_dtype(as_dtype(dtype)), order=order), "full", fill_value)


def _like(a: Any, dtype: Any, order: str, subok: Any, shape: Any) -> ndarray:
    if subok:
        raise DeviceArrayTypeError("subok is not supported")
    if not isinstance(a, ndarray):
        raise unsupported(a)
    kind = require_dtype(as_dtype(dtype or a.dtype))
    if shape is not None or order.upper() in "CF":
        wanted = order.upper() if order.upper() in "CF" else "C"
        return ndarray(a.shape if shape is None else shape, kind, order=wanted)
    steps = compact_strides_like(a)
    return ndarray(a.shape, kind, strides=tuple(s // a.itemsize * kind.itemsize for s in steps))


def empty_like(
    prototype: ndarray, dtype: Any = None, order: str = "K", subok: Any = None, shape: Any = None
) -> ndarray:
    """``cupy.empty_like``: undefined elements, with the shape and dtype of an array."""
    result = _like(prototype, dtype, order, subok, shape)
    _spoil(result)
    return result


def zeros_like(
    a: ndarray, dtype: Any = None, order: str = "K", subok: Any = None, shape: Any = None
) -> ndarray:
    """``cupy.zeros_like``: zeros, with the shape and dtype of an array."""
    return into(_like(a, dtype, order, subok, shape), "zeros_like", 0)


def ones_like(
    a: ndarray, dtype: Any = None, order: str = "K", subok: Any = None, shape: Any = None
) -> ndarray:
    """``cupy.ones_like``: ones, with the shape and dtype of an array."""
    return into(_like(a, dtype, order, subok, shape), "ones_like", 1)


def full_like(
    a: ndarray,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: Any = None,
    shape: Any = None,
) -> ndarray:
    """``cupy.full_like``: one value, with the shape and dtype of an array."""
    return into(_like(a, dtype, order, subok, shape), "full_like", fill_value)
