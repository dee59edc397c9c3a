"""The modules that a kernel's text may import, with names that need neither Numba nor a GPU."""

from __future__ import annotations

import cmath
import math
import operator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

_NUMBERS = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
_SHORT = {
    "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
    "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64",
    "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128",
    "byte": "uint8", "short": "int16", "intc": "int32", "uintc": "uint32",
    "intp": "int64", "uintp": "uint64", "float_": "float32", "double": "float64",
    "boolean": "bool", "bool_": "bool", "b1": "bool",
}  # fmt: skip


@cache
def types() -> dict[str, Any]:
    """Numba's number types by name, as NumPy types, which the machine treats alike."""
    named = {name: getattr(np, name) for name in _NUMBERS}
    named |= {name: np.dtype(full).type for name, full in _SHORT.items()}
    return named


@cache
def modules() -> dict[str, Any]:
    """Every module that can be imported, by its full name."""
    cuda = import_module("gpuedu.simt.host.cuda")
    random = import_module("gpuedu.simt.host.random")
    kinds = _module("numba.types", types())
    jits = {name: Decorator(name) for name in ("jit", "njit")}
    numba = _module("numba", types() | jits | {"cuda": Cuda(cuda), "types": kinds})
    return {
        "numba": numba,
        "numba.types": kinds,
        "numba.core.types": kinds,
        "numba.core": _module("numba.core", {"types": kinds}),
        "numba.cuda": Cuda(cuda),
        "numba.cuda.random": random,
        "gpuedu": _module("gpuedu", {"cuda": Cuda(cuda)}),
        "gpuedu.backend": _module("gpuedu", {"cuda": Cuda(cuda)}),
        "math": math,
        "cmath": cmath,
        "numpy": np,
        "operator": operator,
    }


class Decorator:
    """``numba.njit`` and ``numba.jit``: a kernel may call what they make."""

    def __init__(self, name: str) -> None:
        self.name = name


class Cuda(ModuleType):
    """``numba.cuda`` with Numba's types as NumPy's."""

    def __init__(self, cuda: ModuleType) -> None:
        super().__init__("numba.cuda")
        self.__dict__.update(types(), types=_module("numba.types", types()))
        self._cuda = cuda

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cuda, name)


def _module(name: str, members: dict[str, Any]) -> ModuleType:
    made = ModuleType(name)
    made.__dict__.update(members)
    return made
