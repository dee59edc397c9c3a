"""One text for everything that a compilation depends on, so that equal kernels compile once."""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import numpy as np

from gpuedu.compilers.rebinding import numba_name, referenced_globals

_KNOWN_MODULES = ("numba", "numpy", "math", "cmath", "operator", "builtins", "_operator")


class UnknownContentError(Exception):
    """A kernel depends on something whose content is unknown, so it is compiled each time."""


def fingerprint(function: Callable[..., Any], *further: Any) -> str | None:
    """A digest of a function's code, lines, constants and device functions, and of ``further``.

    Two functions with the same digest compile to the same text. None if a name leads to an object
    whose content is not known.
    """
    digest = hashlib.sha256()
    try:
        for part in _parts((function, *further), set()):
            digest.update(part.encode() + b"\0")
    except UnknownContentError:
        return None
    return digest.hexdigest()


def _parts(value: Any, seen: set[int]) -> Iterator[str]:
    """The content of a value as texts."""
    name = numba_name(value)
    if name is not None:
        yield name
    elif value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, (tuple, list)):
        yield f"{type(value).__name__} {len(value)}"
        for one in value:
            yield from _parts(one, seen)
    elif isinstance(value, dict):
        yield from _parts([list(pair) for pair in sorted(value.items())], seen)
    elif isinstance(value, (np.ndarray, np.generic)):
        yield from _array(np.asarray(value))
    elif isinstance(value, types.CodeType):
        yield from _code(value, seen)
    elif isinstance(getattr(value, "py_func", None), types.FunctionType):
        yield from _parts(value.py_func, seen)
        yield from _parts(getattr(value, "targetoptions", {}), seen)
    elif isinstance(value, types.FunctionType) and not _is_known(value.__module__):
        yield from _function(value, seen)
    else:
        yield _by_name(value)


def _array(array: np.ndarray) -> Iterator[str]:
    if array.dtype.hasobject:
        raise UnknownContentError
    yield f"{array.dtype} {array.shape} {hashlib.sha256(array.tobytes()).hexdigest()}"


def _function(function: Callable[..., Any], seen: set[int]) -> Iterator[str]:
    yield f"function {function.__qualname__}"
    if id(function) in seen:
        return
    seen.add(id(function))
    yield from _parts(function.__code__, seen)
    yield from _parts([function.__defaults__, function.__kwdefaults__ or {}], seen)
    for name in sorted(referenced_globals(function.__code__) & function.__globals__.keys()):
        yield name
        yield from _parts(function.__globals__[name], seen)
    for cell in function.__closure__ or ():
        try:
            yield from _parts(cell.cell_contents, seen)
        except ValueError:
            raise UnknownContentError from None


def _code(code: types.CodeType, seen: set[int]) -> Iterator[str]:
    yield f"{code.co_code.hex()} {code.co_linetable.hex()} {code.co_firstlineno}"
    yield f"{code.co_names} {code.co_varnames} {code.co_freevars} {code.co_argcount}"
    for const in code.co_consts:
        if isinstance(const, frozenset):
            const = sorted(const, key=repr)
        yield from _parts(const, seen)


def _by_name(value: Any) -> str:
    """Modules, types and functions of known libraries, which their versions tell the content of."""
    if isinstance(value, types.ModuleType) and _is_known(value.__name__):
        return value.__name__
    if isinstance(value, np.dtype) and not value.hasobject:
        return repr(value)
    if isinstance(value, Enum):
        raise UnknownContentError
    if type(value).__module__.startswith("numba."):
        return f"{type(value).__qualname__} {value}"
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if isinstance(value, type) or callable(value):
        if module is None and isinstance(getattr(value, "__self__", None), types.ModuleType):
            module = value.__self__.__name__
        if _is_known(module) and name:
            return f"{module}.{name}"
    raise UnknownContentError


def _is_known(module: str | None) -> bool:
    return (module or "").partition(".")[0] in _KNOWN_MODULES
