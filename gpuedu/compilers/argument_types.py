"""Argument types of a kernel as people write them, and as Numba has them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.compilers.errors import ArgumentTypeError

_LAYOUTS = ("C", "F", "A")
_BRACKETS = re.compile(r"^\s*(\w+)\s*(?:\[([:1,\s]*)\])?\s*$")
_NUMBA_ARRAY = re.compile(r"^\s*array\((\w+), (\d+)d, ([CFA])\)\s*$")
_PYTHON = {"int": np.int64, "float": np.float64, "bool": np.bool_, "boolean": np.bool_}


@dataclass(frozen=True)
class ArgumentType:
    """A scalar (``ndim`` None) or an array of ``ndim`` dimensions, laid out as C, F or A (any)."""

    dtype: np.dtype
    ndim: int | None = None
    layout: str = "C"

    def __str__(self) -> str:
        kind = self.dtype.name if self.dtype.names is None else str(self.dtype)
        return kind if self.ndim is None else f"array({kind}, {self.ndim}d, {self.layout})"


def argument_types(given: Iterable[Any]) -> tuple[Any, ...]:
    """Read each of them as an ``ArgumentType``; Numba's types stay as they are.

    An argument type may be written as a string (``"float32"``, ``"float32[:, ::1]"``,
    ``"array(float32, 2d, C)"``), as ``(dtype, ndim, layout)``, as a dtype, or as a value of that
    type: an array of NumPy or of a device, or a number.

    Raises:
        ArgumentTypeError: it is none of these.

    >>> [str(kind) for kind in argument_types(["float32[:, ::1]", ("int8", 1, "C"), 4])]
    ['array(float32, 2d, C)', 'array(int8, 1d, C)', 'int64']
    """
    if isinstance(given, str):
        raise ArgumentTypeError(
            f"{given!r} is one string, but there should be one type for each argument",
            remedy=f"[{given!r}]",
        )
    return tuple(_read(one) for one in given)


def to_numba(kinds: Iterable[Any]) -> tuple[Any, ...]:
    """The same as Numba's types; Numba is imported here."""
    from numba import types
    from numba.np.numpy_support import from_dtype

    def convert(kind: Any) -> Any:
        if not isinstance(kind, ArgumentType):
            return kind
        dtype = from_dtype(kind.dtype)
        return dtype if kind.ndim is None else types.Array(dtype, kind.ndim, kind.layout)

    return tuple(convert(kind) for kind in kinds)


def _read(given: Any) -> Any:
    if type(given).__module__.startswith("numba."):
        return given
    if isinstance(given, str):
        return _from_text(given)
    if isinstance(given, tuple) and len(given) == 3 and given[2] in _LAYOUTS:
        return ArgumentType(_dtype(given[0], given), int(given[1]), given[2])
    if isinstance(given, (np.dtype, type)):
        return ArgumentType(_dtype(given, given))
    if isinstance(given, (bool, int, float, complex, np.generic)):
        return ArgumentType(np.dtype(np.int64) if type(given) is int else np.asarray(given).dtype)
    if hasattr(given, "dtype") and hasattr(given, "shape"):
        return ArgumentType(_dtype(given.dtype, given), len(given.shape), _layout(given))
    raise _unknown(given)


def _from_text(text: str) -> ArgumentType:
    array = _NUMBA_ARRAY.match(text)
    if array:
        return ArgumentType(_dtype(array[1], text), int(array[2]), array[3])
    match = _BRACKETS.match(text)
    if not match:
        raise _unknown(text)
    dtype = _dtype(match[1], text)
    if match[2] is None:
        return ArgumentType(dtype)
    dimensions = ["".join(part.split()) for part in match[2].split(",")]
    dense = [i for i, part in enumerate(dimensions) if part == "::1"]
    if any(part not in (":", "::1") for part in dimensions) or len(dense) > 1:
        raise _unknown(text)
    layouts = {(): "A", (0,): "F"} | {(len(dimensions) - 1,): "C"}
    if tuple(dense) not in layouts:
        raise _unknown(text)
    return ArgumentType(dtype, len(dimensions), layouts[tuple(dense)])


def _dtype(name: Any, given: Any) -> np.dtype:
    try:
        dtype = np.dtype(_PYTHON.get(name, name) if isinstance(name, str) else name)
    except TypeError:
        raise _unknown(given) from None
    if dtype.hasobject or dtype.kind in "USMm":
        raise _unknown(given)
    return dtype


def _layout(array: Any) -> str:
    """How an array lies in memory; dimensions of one element may have any stride, as in NumPy."""
    strides = getattr(array, "strides", None)
    if strides is None:
        return "C"
    dense = [(n, stride) for n, stride in zip(array.shape, strides, strict=True) if n != 1]
    for layout, order in (("C", dense[::-1]), ("F", dense)):
        expected = np.dtype(array.dtype).itemsize
        for n, stride in order:
            if stride != expected:
                break
            expected *= n
        else:
            return layout
    return "A"


def _unknown(given: Any) -> ArgumentTypeError:
    return ArgumentTypeError(
        f"{given!r} is not an argument type of a kernel",
        remedy='a number, an array, "float32", "float32[:, ::1]", or (dtype, ndim, layout)',
    )
