"""NumPy's protocols: ``np.exp(a)`` of a device array is ``cp.exp(a)``, as CuPy has it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from gpuedu.arrays.lists import read
from gpuedu.arrays.ndarray import SCALARS, ndarray


def _cp() -> Any:
    return import_module("gpuedu.arrays.cupy")


def from_ufunc(function: np.ufunc, method: str, inputs: tuple, kwargs: dict[str, Any]) -> Any:
    """A ufunc of NumPy, called with a device array among its operands."""
    ours = getattr(_cp(), function.__name__, None)
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


def without_axes(value: Any) -> Any:
    """A host array without axes as the number that it holds."""
    return value.item() if isinstance(value, np.ndarray) and not value.shape else value


def from_function(function: Any, types: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Another function of NumPy, called with a device array among its arguments."""
    where: Any = _cp()
    try:
        for part in function.__module__.split(".")[1:]:
            where = getattr(where, part)
        ours = getattr(where, function.__name__)
    except (AttributeError, NotImplementedError):
        return NotImplemented
    if ours is function or not all(issubclass(kind, (ndarray, np.ndarray)) for kind in types):
        return NotImplemented
    return ours(*args, **kwargs)
