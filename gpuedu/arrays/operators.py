"""Giving the array class its operators and methods, when ``cp`` is imported.

They need the functions, which need the class, so they are attached from here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.arrays import indexing, methods, table
from gpuedu.arrays.creation import array
from gpuedu.arrays.elementwise import UFUNCS, matmul
from gpuedu.arrays.errors import DeviceArrayTypeError
from gpuedu.arrays.lists import read
from gpuedu.arrays.ndarray import SCALARS, ndarray
from gpuedu.arrays.protocol import without_axes

_OWN_METHODS = (
    methods.astype,
    methods.copy,
    methods.view,
    methods.reshape,
    methods.flatten,
    methods.transpose,
    methods.fill,
    methods.sort,
    methods.partition,
    methods.scatter_add,
    methods.scatter_max,
    methods.scatter_min,
)
_UNARY = {"neg": "negative", "abs": "absolute", "invert": "invert"}


def leaves_it(other: Any) -> bool:
    """True if the other operand wants to do the operation itself."""
    if isinstance(other, (ndarray, np.ndarray, *SCALARS)):
        return False
    rank = getattr(other, "__array_priority__", 0)
    return getattr(other, "__array_ufunc__", ...) is None or rank > ndarray.__array_priority__


def _binary(name: str) -> Callable[[ndarray, Any], Any]:
    return lambda self, other: NotImplemented if leaves_it(other) else UFUNCS[name](self, other)


def _reflected(name: str) -> Callable[[ndarray, Any], Any]:
    return lambda self, other: UFUNCS[name](other, self)


def _comparison(name: str) -> Callable[[ndarray, Any], Any]:
    """Alone among the operators, these take a host array without axes, as a number."""
    operator = _binary(name)
    return lambda self, other: operator(self, without_axes(other))


def _in_place(name: str) -> Callable[[ndarray, Any], Any]:
    return lambda self, other: UFUNCS[name](self, other, self)


def _from_function(entry: table.Entry, function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that calls the function of its name, by the method's own signature."""
    name = entry.name.rpartition(".")[2]

    def method(self: ndarray, *args: Any, **kwargs: Any) -> Any:
        try:
            bound = entry.signature.bind(*args, **kwargs)
        except TypeError as fault:
            raise DeviceArrayTypeError(f"{name}(): {fault}") from None
        return function(self, **bound.arguments)

    method.__name__ = method.__qualname__ = name
    method.__signature__ = entry.signature  # type: ignore[attr-defined]
    method.__doc__ = f"As ``cupy.{name}`` of this array."
    return method


def _in_another_order(functions: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Methods whose parameters have other names or another order than the function's."""
    return {
        "clip": lambda self, min=None, max=None, out=None: functions["clip"](self, min, max, out),
        "compress": lambda self, condition, axis=None, out=None: functions["compress"](
            condition, self, axis, out
        ),
        "put": lambda self, indices, values, mode="wrap": functions["put"](
            self, indices, values, mode
        ),
    }


def _reduce(self: ndarray) -> tuple[Any, tuple[np.ndarray]]:
    """What a pickle has of an array: its elements, which are copied to the device again."""
    return array, (self.get(),)


def attach(functions: dict[str, Callable[..., Any]]) -> None:
    """Give the class its operators and methods; ``functions`` are those of ``cp``."""
    lists = read("lists.toml")
    for name, function in lists["operators"].items():
        setattr(ndarray, f"__{name}__", _binary(function))
        setattr(ndarray, f"__r{name}__", _reflected(function))
        if name != "divmod":
            setattr(ndarray, f"__i{name}__", _in_place(function))
    for name, function in lists["comparisons"].items():
        setattr(ndarray, f"__{name}__", _comparison(function))
    for name, function in _UNARY.items():
        setattr(ndarray, f"__{name}__", lambda self, function=function: UFUNCS[function](self))
    own = _in_another_order(functions)
    for name, entry in table.methods().items():
        setattr(ndarray, name, _from_function(entry, own.get(name) or functions[name]))
    ndarray.__reduce__ = _reduce
    ndarray.__pos__ = lambda self: self
    ndarray.__matmul__ = lambda self, other: matmul(self, other)
    ndarray.__rmatmul__ = lambda self, other: matmul(other, self)
    ndarray.__getitem__, ndarray.__setitem__ = indexing.getitem, indexing.setitem
    for method in _OWN_METHODS:
        setattr(ndarray, method.__name__, method)
    ndarray.conj = ndarray.conjugate = methods.conjugate
    ndarray.real, ndarray.imag = (
        property(methods.real, methods.set_real),
        property(methods.imag, methods.set_imag),
    )
    ndarray.T, ndarray.mT = property(methods.transposed), property(methods.matrix_transposed)
