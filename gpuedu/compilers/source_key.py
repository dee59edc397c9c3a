"""One text for what a Python kernel is compiled from, the same under every version of Python.

``fingerprint`` reads compiled code, which differs between Python versions; this reads the source,
with the values of the names in it.
"""

from __future__ import annotations

import ast
import inspect
import io
import textwrap
import tokenize
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gpuedu.compilers.fingerprint import UnknownContentError
from gpuedu.compilers.rebinding import STAND_INS, numba_name


def content_of(function: Callable[..., Any]) -> list[str] | None:
    """A plain function's source and what its names mean; None if that is unknown."""
    try:
        return list(_function(function, set()))
    except (UnknownContentError, OSError, TypeError, SyntaxError, tokenize.TokenError):
        return None


def _function(function: Callable[..., Any], seen: set[int]) -> Iterator[str]:
    if id(function) in seen:
        yield function.__name__
        return
    seen.add(id(function))
    source = textwrap.dedent(inspect.getsource(function))
    yield _without_comments(source)
    meanings = function.__globals__ | _closure(function)
    names = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    for name in sorted(names & meanings.keys()):
        yield name
        yield from _value(meanings[name], seen)


def _without_comments(source: str) -> str:
    """The source without comments; every line stays."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    return "\n".join(line.rstrip() for line in lines).rstrip()


def _closure(function: Callable[..., Any]) -> dict[str, Any]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    try:
        return {name: cell.cell_contents for name, cell in cells}
    except ValueError:  # a variable that is not yet assigned
        raise UnknownContentError from None


def _value(value: Any, seen: set[int]) -> Iterator[str]:
    """What a name means, as texts."""
    if isinstance(value, types.ModuleType):
        yield STAND_INS.get(value.__name__, value.__name__)
    elif numba_name(value) is not None:
        yield str(numba_name(value))
    elif value is None or isinstance(value, (bool, int, float, complex, str)):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, (tuple, list)):
        yield f"{type(value).__name__} {len(value)}"
        for one in value:
            yield from _value(one, seen)
    elif isinstance(value, np.generic):
        yield f"{value.dtype} {value.item()!r}"
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        yield f"{value.dtype} {value.tolist()!r}"
    elif isinstance(getattr(value, "py_func", None), types.FunctionType):
        yield from _function(value.py_func, seen)
    elif isinstance(value, types.FunctionType):
        yield from _function(value, seen)
    else:
        yield _name_of_type(value)


def _name_of_type(value: Any) -> str:
    """The name of a number's type, of Numba, of what stands in for it, or of NumPy.

    >>> _name_of_type(np.float32), _name_of_type(np.dtype("int8"))
    ('float32', 'int8')
    """
    text = getattr(value, "name", None) or getattr(value, "__name__", None)
    try:
        return np.dtype(str(text)).name
    except TypeError:
        raise UnknownContentError from None
