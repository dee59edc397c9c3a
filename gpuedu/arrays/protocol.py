"""NumPy's protocols: ``np.exp(a)`` of a device array is ``cp.exp(a)``, as CuPy has it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from gpuedu.arrays.lists import read
from gpuedu.arrays.ndarray import SCALARS, ndarray


def without_axes(value: Any) -> Any:
    """A host array without axes as the number that it holds."""
    return value.item() if isinstance(value, np.ndarray) and not value.shape else value


def attach_protocols(cp: ModuleType) -> None:
    """Make NumPy's functions of device arrays those of ``cp``."""

    def from_ufunc(_: ndarray, function: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _from_ufunc(cp, function, method, inputs, kwargs)

    def from_function(_: ndarray, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        return _from_function(cp, function, types, args, kwargs)

    ndarray.__array_ufunc__, ndarray.__array_function__ = from_ufunc, from_function


def _from_ufunc(
    cp: ModuleType, function: np.ufunc, method: str, inputs: tuple, kwargs: dict[str, Any]
) -> Any:
    """A ufunc of NumPy, called with a device array among its operands."""
    ours = getattr(cp, function.__name__, None)
    if method != "__call__" or ours is None:
        return NotImplemented
    out = kwargs.pop("out", ())
    if len(out) > 1:
        raise ValueError("The 'out' parameter must have exactly one array value")
    if out:
        kwargs["out"] = out[0]
    for value in (*inputs, *out):
        is_known = isinstance(value, (*SCALARS, ndarray, np.ndarray))
        if not is_known and not hasattr(value, "__cuda_array_interface__"):
            return NotImplemented
    if function.__name__ in read("lists.toml")["comparisons"].values():
        inputs = tuple(map(without_axes, inputs))
    return ours(*inputs, **kwargs)


def _from_function(
    cp: ModuleType, function: Any, types: Any, args: tuple, kwargs: dict[str, Any]
) -> Any:
    """Another function of NumPy, called with a device array among its arguments."""
    where: Any = cp
    try:
        for part in function.__module__.split(".")[1:]:
            where = getattr(where, part)
        ours = getattr(where, function.__name__)
    except (AttributeError, NotImplementedError):
        return NotImplemented
    if ours is function or not all(issubclass(kind, (ndarray, np.ndarray)) for kind in types):
        return NotImplemented
    return ours(*args, **kwargs)
