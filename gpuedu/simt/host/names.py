"""Which well-known object a Python object is, by one dotted name.

A kernel's names lead to objects: our stubs, or those of ``numba.cuda``, Numba, ``math``, NumPy or
Python itself. Types have the name of their NumPy dtype, whoever offers them.
"""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np

from gpuedu.simt.host.stubs import Stub
from gpuedu.widths import python_dtype

_MODULES = {
    "math": "math",
    "cmath": "cmath",
    "operator": "operator",
    "numpy": "numpy",
    "builtins": "builtins",
    "_operator": "operator",
}
_CUDA = ("numba.cuda.stubs", "numba.cuda.intrinsics", "numba.cuda.cache_hints")
_CUDA_PARTS = {
    "numba.cuda.random": "cuda.random",
    "numba.cuda.libdevice": "cuda.libdevice",
    "numba.cuda.fp16": "cuda.fp16",
    "numba.cuda._internal.cuda_fp16": "cuda.fp16",
    "numba.cuda.cg": "cuda.cg",
}


def dotted_name(thing: Any) -> str | None:
    """The name by which the front end knows ``thing``; None for an object that has none.

    >>> import math
    >>> dotted_name(math.sqrt), dotted_name(np.sqrt), dotted_name(np.float32), dotted_name(len)
    ('math.sqrt', 'numpy.sqrt', 'float32', 'builtins.len')
    >>> dotted_name(Stub("cuda.grid")), dotted_name(object())
    ('cuda.grid', None)
    """
    if isinstance(thing, Stub):
        return thing.dotted_name
    if isinstance(thing, str):
        return None
    if isinstance(thing, types.ModuleType):
        return _module_name(thing.__name__)
    dtype = dtype_of(thing)
    if dtype is not None:
        return f"builtins.{thing.__name__}" if thing in _PYTHON_NUMBERS else dtype.name
    if isinstance(thing, np.ufunc):
        return f"numpy.{thing.__name__}"
    return _member_name(thing)


_NUMBER_NAMES = {np.dtype(code).name for code in "?bhilqBHILQefdFD"}
_PYTHON_NUMBERS = (int, float, bool, complex)


def dtype_of(thing: Any) -> np.dtype | None:
    """The dtype that a type object, or its name, stands for: NumPy's, Numba's, Python's.

    >>> dtype_of(np.float32), dtype_of(float), dtype_of("int8"), dtype_of("text"), dtype_of(3)
    (dtype('float32'), dtype('float64'), dtype('int8'), None, None)
    """
    if isinstance(thing, np.dtype):
        return thing
    if isinstance(thing, str):
        return np.dtype(thing) if thing in _NUMBER_NAMES else None
    if isinstance(thing, type):
        if thing in _PYTHON_NUMBERS:
            return python_dtype(thing)
        if issubclass(thing, np.generic) and not _is_abstract(thing):
            return np.dtype(thing)
        return None
    return _numba_dtype(thing)


def _is_abstract(thing: type) -> bool:
    """Whether a NumPy scalar type is a family such as ``np.floating``."""
    return thing.__name__ in (
        "generic", "number", "integer", "signedinteger", "unsignedinteger",
        "inexact", "floating", "complexfloating", "flexible", "character",
    )  # fmt: skip


_NUMBA_NUMBERS = ("Boolean", "Integer", "Float", "Complex", "BooleanLiteral", "IntegerLiteral")


def _numba_dtype(thing: Any) -> np.dtype | None:
    """A Numba type as a dtype, without importing Numba."""
    kind = type(thing)
    if not kind.__module__.startswith("numba."):
        return None
    if kind.__name__ == "Record":
        return _record_dtype(thing)
    if kind.__name__ == "NestedArray":
        return np.dtype((dtype_of(thing.dtype), thing.shape))
    if kind.__name__ not in _NUMBA_NUMBERS:
        return None
    name = getattr(thing, "name", "")
    return np.dtype("bool" if name == "bool" else name) if _is_dtype_name(name) else None


def _is_dtype_name(name: str) -> bool:
    try:
        np.dtype(name)
    except TypeError:
        return False
    return True


def _record_dtype(record: Any) -> np.dtype:
    names = list(record.fields)
    return np.dtype(
        {
            "names": names,
            "formats": [dtype_of(record.fields[name].type) for name in names],
            "offsets": [record.fields[name].offset for name in names],
            "itemsize": record.size,
        }
    )


def _module_name(name: str) -> str | None:
    if name == "gpuedu.simt.host.cuda" or name == "numba.cuda":
        return "cuda"
    if name == "gpuedu.simt.host.random":
        return "cuda.random"
    return _CUDA_PARTS.get(name) or _MODULES.get(name) or ("numba" if name == "numba" else None)


def _member_name(thing: Any) -> str | None:
    """The name of a function, class or stub object by the module it is from."""
    home = getattr(thing, "__module__", None)
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None)
    if not isinstance(home, str) or not isinstance(name, str):
        return None
    if home in _CUDA or (name == "literal_unroll" and home.startswith("numba.")):
        return f"cuda.{name}"
    if home in _CUDA_PARTS:
        return f"{_CUDA_PARTS[home]}.{name}"
    if home.partition(".")[0] == "numpy":
        return f"numpy.{name}" if getattr(np, name, None) is thing else None
    if home.startswith("numba.") and getattr(sys.modules.get("numba"), name, None) is thing:
        return f"numba.{name}"
    return f"{_MODULES[home]}.{name}" if home in _MODULES else None
