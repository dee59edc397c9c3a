"""In the tab: Numba's types of numbers and arrays, and signatures made of them.

As much as tests of kernels write down: ``float32``, ``int32[:, ::1]``, ``void(float32[:], int8)``
and the same as text. The machine knows Numba's types by the names of their classes and reads of
them what is here; which conversion costs what is its own table.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np


class Type:
    """What all types have: called with types, a type is the result of a signature.

    With slices behind it, it is the type of an array.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name

    def __call__(self, *arguments: Any) -> Any:
        return Signature(self, arguments)

    def __getitem__(self, axes: Any) -> Array:
        axes = axes if isinstance(axes, tuple) else (axes,)
        steps = [axis.step for axis in axes]
        layout = "C" if steps[-1] == 1 else "F" if steps[0] == 1 else "A"
        return Array(self, len(axes), layout)

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Signature:
    """``float32(float32, int32)``."""

    return_type: Type
    args: tuple[Any, ...]


class Void(Type):
    """``void``, which is Numba's type of None."""


class Scalar(Type):
    """A number, named as its dtype is; called with a number it converts it."""

    def __init__(self, dtype: np.dtype) -> None:
        super().__init__(dtype.name)

    def __call__(self, *values: Any) -> Any:
        if values and not any(isinstance(value, Type) for value in values):
            return np.dtype(self.name).type(*values)
        return super().__call__(*values)

    @property
    def underlying_float(self) -> Scalar:
        """The type of a complex number's parts."""
        return scalar(np.empty(0, self.name).real.dtype)


@dataclass(frozen=True)
class Array(Type):
    """``float32[:, :]``; with ``::1`` last or first the layout is C or F."""

    dtype: Type
    ndim: int
    layout: str


@dataclass(frozen=True)
class BaseTuple(Type):
    """A tuple of types."""

    types: tuple[Any, ...]

    def __iter__(self) -> Any:
        return iter(self.types)


_INTEGER = type("Integer", (Scalar,), {})
FAMILIES = {
    "b": type("Boolean", (Scalar,), {}),
    "i": _INTEGER,
    "u": _INTEGER,
    "f": type("Float", (Scalar,), {}),
    "c": type("Complex", (Scalar,), {}),
}
for made in (*FAMILIES.values(), Signature, Void, Array, BaseTuple):
    made.__module__ = "numba.core.types"


@cache
def scalar(dtype: np.dtype) -> Scalar:
    """The one type that stands for ``dtype``.

    Raises:
        ModuleNotFoundError: Only Numba has a type for it, such as that of a record.
    """
    if dtype.kind not in FAMILIES:
        raise ModuleNotFoundError(f"No Numba with a type for {dtype}", name="numba.from_dtype")
    return FAMILIES[dtype.kind](dtype)


void = Void("none")


@cache
def names() -> dict[str, Any]:
    """``numba.types``: the types under all the names that Numba has for them."""
    from gpuedu.simt.typing_rules import builtin_rules

    found = {name: scalar(dtype) for name, dtype in builtin_rules._BY_NUMBA_NAME.items()}
    domains = {
        f"{domain}_domain": frozenset(scalar(np.dtype(name)) for name in members.split())
        for domain, members in {
            "signed": "int8 int16 int32 int64",
            "unsigned": "uint8 uint16 uint32 uint64",
            "real": "float32 float64",
            "complex": "complex64 complex128",
        }.items()
    }
    classes = {"Array": Array, "BaseTuple": BaseTuple, "Type": Type}
    return found | domains | classes | {"void": void, "none": void}


def normalize_signature(signature: Any) -> tuple[tuple[Any, ...], Any]:
    """Argument types and result, of a text, a tuple or a signature."""
    if isinstance(signature, str):
        # The texts are those of the tests that are run here.
        signature = eval(signature, dict(names()))
    if isinstance(signature, tuple):
        signature = Signature(None, signature)
    if not isinstance(signature, Signature) or not all(
        isinstance(kind, Type) for kind in signature.args
    ):
        # A type that is not here, or no signature at all: only Numba tells which.
        raise ModuleNotFoundError(f"No Numba to read {signature}", name="numba.core.sigutils")
    return signature.args, signature.return_type


def typeof(value: Any, purpose: Any = None) -> Any:
    """The type of an argument."""
    from gpuedu.widths import as_array

    if isinstance(value, tuple):
        return BaseTuple(tuple(typeof(item) for item in value))
    if hasattr(value, "device_view") or isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags["C_CONTIGUOUS"] else "F" if flags["F_CONTIGUOUS"] else "A"
        return Array(scalar(value.dtype), value.ndim, layout)
    return scalar(as_array(value).dtype)


class TypeManager:
    """What it costs to convert one scalar type to another."""

    def check_compatible(self, given: Scalar, wanted: Scalar) -> enum.Enum | None:
        """A member with a name such as ``unsafe``; None where there is no conversion."""
        from gpuedu.simt.typing_rules.promotion import conversion

        found = conversion(np.dtype(given.name), np.dtype(wanted.name))
        if found is None:
            return None
        return enum.Enum("Conversion", [found.name.lower()])[found.name.lower()]
