"""Integers of the same width on every host, and indices of the width that NumPy wants.

NumPy's default integer and its index type are as wide as the host's addresses: 64 bits on a
computer, 32 in a browser tab. Kernels compute as on a GPU, whose host has 64 bits, so what Python
integers become must not follow the host; and NumPy refuses an index, a count or a repetition that
is wider than its index type.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_PYTHON_NUMBERS = {
    bool: np.dtype(np.bool_),
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
    complex: np.dtype(np.complex128),
}


def as_index(numbers: Any) -> np.ndarray:
    """Integers as NumPy's indices; on a computer int64 comes back as it is.

    Raises:
        TypeError: They are not integers.

    >>> as_index(np.array([3, 0], np.int64)).dtype == np.intp
    True
    """
    return np.asarray(numbers).astype(np.intp, copy=False, casting="same_kind")


def count_each(numbers: Any, minlength: int = 0) -> np.ndarray:
    """How often each of 0, 1, 2, ... occurs in ``numbers``, int64.

    >>> count_each(np.array([2, 0, 2], np.int64), minlength=4)
    array([1, 0, 2, 0])
    """
    return np.bincount(as_index(numbers), minlength=minlength).astype(np.int64, copy=False)


def python_dtype(kind: type) -> np.dtype | None:
    """The dtype that a Python number has on a GPU's host; None for any other type.

    >>> python_dtype(int), python_dtype(float), python_dtype(str)
    (dtype('int64'), dtype('float64'), None)
    """
    return _PYTHON_NUMBERS.get(kind)


def as_dtype(dtype: Any) -> np.dtype:
    """What ``np.dtype`` makes of ``dtype`` on a GPU's host: ``int`` is int64.

    >>> as_dtype(int), as_dtype("f4")
    (dtype('int64'), dtype('float32'))
    """
    known = python_dtype(dtype) if isinstance(dtype, type) else None
    return np.dtype(dtype) if known is None else known


def as_array(value: Any) -> np.ndarray:
    """What ``np.asanyarray`` makes of ``value`` on a GPU's host: Python integers are int64.

    >>> as_array([1, 2]).dtype, as_array(np.arange(3, dtype=np.int8)).dtype
    (dtype('int64'), dtype('int8'))
    """
    made = np.asanyarray(value)
    if isinstance(value, (np.ndarray, np.generic)) or made.dtype != np.dtype(int):
        return made
    return made.astype(np.int64, copy=False)
