"""Functions that need more than NumPy on the device's memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.arrays import table
from gpuedu.arrays.creation import array, asarray
from gpuedu.arrays.indexing import wrapped
from gpuedu.arrays.ndarray import ndarray
from gpuedu.arrays.transfer import copied_to_host
from gpuedu.arrays.wrap import call, from_interface, unsupported
from gpuedu.widths import as_index


def _take(a: np.ndarray, indices: Any, axis: Any = None, out: Any = None) -> np.ndarray:
    is_there = axis is not None and -a.ndim <= axis < a.ndim  # else NumPy says so
    extent = a.shape[axis] if is_there else a.size
    return np.take(a, _inside(as_index(indices), extent), axis, out, mode="wrap")


def _put(a: np.ndarray, ind: Any, v: Any, mode: str = "wrap") -> None:
    np.put(a, _inside(as_index(ind), a.size) if mode == "wrap" else ind, v, mode)


def _inside(indices: np.ndarray, extent: int) -> np.ndarray:
    """Wrapped around at once: NumPy goes round as often as one is too large."""
    return wrapped(indices, extent) if extent else indices


def _take_along_axis(a: np.ndarray, indices: np.ndarray, axis: Any) -> np.ndarray:
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    extent = a.size if axis is None else a.shape[axis]
    return np.take_along_axis(a, _inside(indices, extent), axis)


def _eig(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, vectors = np.linalg.eig(a)
    kind = np.result_type(values.dtype, np.complex64)
    return values.astype(kind), vectors.astype(kind)


def _piecewise(x: np.ndarray, condlist: Any, funclist: Any) -> np.ndarray:
    if any(callable(value) for value in funclist):
        raise NotImplementedError("Callable functions are not supported currently")
    return np.piecewise(x, condlist, funclist)


def _histogram(
    x: np.ndarray,
    bins: Any = 10,
    range: Any = None,
    density: bool = False,
    weights: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(bins, str):
        raise NotImplementedError("only integer and array bins are implemented")
    return np.histogram(x, bins, range, density, weights)


_LIKE_NUMPYS = table.functions_of("")
_moveaxis, _stack = _LIKE_NUMPYS["moveaxis"], _LIKE_NUMPYS["stack"]

_COMPUTED: dict[str, Callable[..., Any]] = {
    "take(a: D, indices: I, axis=None, out=None)": _take,
    "put(a: D, ind: I, v: I, mode='wrap') -> none": _put,
    "take_along_axis(a: D, indices: D, axis)": _take_along_axis,
    "put_along_axis(arr: D, indices: D, values: S, axis) -> none": np.put_along_axis,
    "piecewise(x: D, condlist: A, funclist: A)": _piecewise,
    "histogram(x: D, bins: N=10, range: N=None, density=False, weights: D=None)": _histogram,
    "linalg.eig(a: D)": _eig,
    "linalg.eigvals(a: D)": lambda a: _eig(a)[0],
}


def computed(module: str) -> dict[str, Callable[..., Any]]:
    """The functions of a module that are computed here, by name."""
    made = {}
    for line, compute in _COMPUTED.items():
        entry = table.parse(line)
        where, _, name = entry.name.rpartition(".")
        if where == module:
            made[name] = table.make(entry, compute)
    return made


def size(a: Any, axis: int | None = None) -> int:
    """``cupy.size``: how many elements, or how many along an axis."""
    return _on_device(a).size if axis is None else _on_device(a).shape[axis]


def ndim(a: Any) -> int:
    """``cupy.ndim``: how many axes."""
    return a.ndim if hasattr(a, "ndim") else np.ndim(a)


def shape(a: Any) -> tuple[int, ...]:
    """``cupy.shape``: elements along each axis."""
    return a.shape if hasattr(a, "shape") else np.shape(a)


def _on_device(value: Any) -> ndarray:
    if isinstance(value, ndarray):
        return value
    if hasattr(value, "__cuda_array_interface__"):
        return from_interface(value)
    raise unsupported(value)


def shares_memory(a: ndarray, b: ndarray, max_work: Any = None) -> bool:
    """``cupy.shares_memory``: whether an element lies in both arrays."""
    return np.shares_memory(_on_device(a).elements(), _on_device(b).elements())


def may_share_memory(a: ndarray, b: ndarray, max_work: Any = None) -> bool:
    """``cupy.may_share_memory``: whether their ranges of memory overlap."""
    return np.may_share_memory(_on_device(a).elements(), _on_device(b).elements())


def astype(x: ndarray, dtype: Any, /, *, copy: bool = True) -> ndarray:
    """``cupy.astype``: the elements as another dtype."""
    return _on_device(x).astype(dtype, copy=copy)


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: ndarray, *args: Any, **kwargs: Any
) -> ndarray:
    """``cupy.apply_along_axis``: ``func1d`` of each line along an axis, one after another."""
    moved = _moveaxis(_on_device(arr), axis, -1)
    lines = [asarray(func1d(moved[at], *args, **kwargs)) for at in np.ndindex(moved.shape[:-1])]
    stacked = _stack(lines).reshape(moved.shape[:-1] + lines[0].shape)
    first = moved.ndim - 1
    there = range(axis % moved.ndim, axis % moved.ndim + lines[0].ndim)
    return _moveaxis(stacked, tuple(range(first, stacked.ndim)), tuple(there))


def apply_over_axes(func: Callable[..., Any], a: ndarray, axes: Any) -> ndarray:
    """``cupy.apply_over_axes``: ``func(a, axis)`` over each of the axes, keeping them."""
    for axis in (axes,) if np.isscalar(axes) else axes:
        result = func(a, axis)
        a = (
            result
            if result.ndim == a.ndim
            else result.reshape(np.expand_dims(np.empty(result.shape), axis).shape)
        )
    return a


def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> ndarray:
    """``cupy.asarray_chkfinite``: ``asarray``, with a ValueError for infinities and NaN."""
    found = asarray(a, dtype, order)
    if found.dtype.kind in "fc":
        copied_to_host(1, "asarray_chkfinite", hidden="whether all elements are finite")
    if found.dtype.kind in "fc" and not np.isfinite(found.elements()).all():
        raise ValueError("array must not contain Infs or NaNs")
    return found


def array_repr(arr: ndarray, *args: Any, **kwargs: Any) -> str:
    """``cupy.array_repr``: the text of an array, after a copy to the host."""
    return np.array_repr(_on_device(arr).get(), *args, **kwargs)


def array_str(arr: ndarray, *args: Any, **kwargs: Any) -> str:
    """``cupy.array_str``: the elements as text, after a copy to the host."""
    return np.array_str(_on_device(arr).get(), *args, **kwargs)


def array2string(a: ndarray, *args: Any, **kwargs: Any) -> str:
    """``cupy.array2string``: the elements as text, after a copy to the host."""
    return np.array2string(_on_device(a).get(), *args, **kwargs)


def load(file: Any, mmap_mode: Any = None, allow_pickle: Any = None) -> Any:
    """``cupy.load``: an array from a file of ``save``, copied to the device."""
    found = np.load(file, allow_pickle=bool(allow_pickle))
    if isinstance(found, np.ndarray):
        return array(found)
    with found:
        return {name: array(found[name]) for name in found.files}


def save(file: Any, arr: ndarray, allow_pickle: Any = None) -> None:
    """``cupy.save``: an array to a file, after a copy to the host."""
    np.save(file, _on_device(arr).get(), allow_pickle=bool(allow_pickle))


def savez(file: Any, *args: ndarray, **kwds: ndarray) -> None:
    """``cupy.savez``: several arrays to one file, after copies to the host."""
    np.savez(file, *(_on_device(a).get() for a in args), **{k: a.get() for k, a in kwds.items()})


def _from_host(function: Callable[..., np.ndarray]) -> Callable[..., ndarray]:
    """A function of NumPy that makes an array on the host, with a copy to the device after it."""
    name = function.__name__

    def made(*args: Any, **kwargs: Any) -> ndarray:
        return array(function(*args, **kwargs))

    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"``cupy.{name}``: as ``numpy.{name}``, then a copy to the device."
    return made


FROM_HOST = {
    name: _from_host(getattr(np, name))
    for name in ("frombuffer", "fromfile", "fromfunction", "fromiter", "genfromtxt", "loadtxt")
}


class Concatenator:
    """``cp.r_``, ``cp.c_``, ``cp.mgrid`` and ``cp.ogrid``: arrays from what is in brackets."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, key: Any) -> Any:
        return call(self._name, getattr(np, self._name).__getitem__, (key,), {})

    def __repr__(self) -> str:
        return f"<cupy.{self._name}>"


CONCATENATORS = {name: Concatenator(name) for name in ("r_", "c_", "mgrid", "ogrid")}


class broadcast:  # noqa: N801
    """``cupy.broadcast``: arrays as views of one shape, in ``values``."""

    def __init__(self, *arrays: Any) -> None:
        lowered = [_on_device(a).elements() if hasattr(a, "shape") else a for a in arrays]
        self.shape = np.broadcast_shapes(*map(np.shape, lowered))
        self.nd, self.size = len(self.shape), int(np.prod(self.shape))
        self.values = tuple(
            a.part(np.broadcast_to(a.elements(), self.shape)) if isinstance(a, ndarray) else a
            for a in arrays
        )


def memoize(for_each_device: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``cupy.memoize``: keep a function's results by its arguments."""
    from functools import cache

    return cache


def clear_memo() -> None:
    """``cupy.clear_memo``: nothing is kept here that other code could see."""


def is_available() -> bool:
    """``cupy.is_available``: whether arrays can be made: yes, on gpuedu's machine.

    ``gpuedu.backend.has_gpu()`` tells whether they are on a GPU.
    """
    return True
