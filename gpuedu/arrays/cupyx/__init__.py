"""``cupyx`` where there is no GPU: what CuPy has beyond NumPy, as far as it makes sense here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from gpuedu.arrays import cupy  # noqa: F401
from gpuedu.arrays.elementwise import ufunc
from gpuedu.arrays.lists import missing
from gpuedu.arrays.ndarray import ndarray


def scatter_add(a: ndarray, slices: Any, value: Any) -> None:
    """``cupyx.scatter_add``: ``a[slices] += value``, where a place named twice gets both values."""
    a.scatter_add(slices, value)


def scatter_max(a: ndarray, slices: Any, value: Any) -> None:
    """``cupyx.scatter_max``: raise elements to at least ``value``."""
    a.scatter_max(slices, value)


def scatter_min(a: ndarray, slices: Any, value: Any) -> None:
    """``cupyx.scatter_min``: lower elements to at most ``value``."""
    a.scatter_min(slices, value)


def _rsqrt(x: np.ndarray) -> np.ndarray:
    return np.reciprocal(np.sqrt(x))


rsqrt = ufunc("rsqrt", _rsqrt)


def empty_pinned(shape: Any, dtype: Any = float, order: str = "C") -> np.ndarray:
    """``cupyx.empty_pinned``: a host array in page-locked memory; here, plain memory."""
    return np.empty(shape, dtype, order)


def zeros_pinned(shape: Any, dtype: Any = float, order: str = "C") -> np.ndarray:
    """``cupyx.zeros_pinned``: zeros in page-locked host memory; here, plain memory."""
    return np.zeros(shape, dtype, order)


def empty_like_pinned(a: Any, dtype: Any = None) -> np.ndarray:
    """``cupyx.empty_like_pinned``: a host array of the shape and dtype of ``a``."""
    return np.empty(a.shape, dtype or a.dtype)


def zeros_like_pinned(a: Any, dtype: Any = None) -> np.ndarray:
    """``cupyx.zeros_like_pinned``: zeros on the host, of the shape and dtype of ``a``."""
    return np.zeros(a.shape, dtype or a.dtype)


def __getattr__(name: str) -> Any:
    if name == "profiler":
        return import_module("gpuedu.arrays.cupyx.profiler")
    raise missing("cupyx", name)
