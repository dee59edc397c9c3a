"""Carries out a compiled function by Numba's reading of it, one statement after another.

So it can be watched, and none of its Python is run: a statement that is not known here, or a call
of what is not listed here, ends it.
"""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

_BUILTINS = (
    *(abs, bool, complex, divmod, enumerate, float, int, len, list, max, min, pow, range),
    *(reversed, round, slice, sum, tuple, zip),
)
_NUMPY = """
all any arange argmax argmin array array_split asarray ascontiguousarray clip concatenate copy
copyto cumsum dot empty empty_like flip full full_like hstack linspace max mean min ndenumerate
nonzero ones ones_like prod ravel repeat reshape roll shape size split stack sum vstack where zeros
zeros_like
"""
_OF_ARRAY = """
T all any argmax argmin astype copy dot dtype fill flat flatten imag item itemsize max mean min
nbytes ndim prod ravel real repeat reshape shape size strides sum transpose view
"""
_ATTRIBUTES: dict[type, frozenset[str]] = {
    np.ndarray: frozenset(_OF_ARRAY.split()),
    np.generic: frozenset(_OF_ARRAY.split()),
    np.dtype: frozenset({"itemsize", "type"}),
    complex: frozenset({"imag", "real"}),
    list: frozenset({"append", "clear", "copy", "extend", "insert", "pop", "reverse", "sort"}),
}


class UnknownStatementError(Exception):
    """The function does what is not known here."""


class Interpreter:
    """Carries functions out.

    Attributes:
        in_parallel: whether a step of a ``prange`` is under way.
    """

    def __init__(self) -> None:
        self.in_parallel = False

    def call(self, function: Any, *arguments: Any) -> Any:
        """What a function of Numba's gives.

        Raises:
            UnknownStatementError: it does what is not known here.
        """
        around = self.in_parallel
        try:
            return self._run(_reading_of(getattr(function, "py_func", function)), arguments)
        finally:
            self.in_parallel = around

    def _run(self, reading: _Reading, given: tuple) -> Any:
        from numba.core import ir

        around, values = self.in_parallel, dict[str, Any]()
        arguments = reading.bound(given)
        parallel: set[int] = set()
        label = reading.first
        while True:
            self.in_parallel = around or label in parallel
            for part in reading.blocks[label].body:
                kind = type(part)
                if kind is ir.Assign:
                    value = part.value
                    if type(value) is ir.Expr and value.op == "iternext":
                        iterator = values[value.value.name]
                        if isinstance(iterator, _ParallelSteps):
                            parallel |= reading.bodies.get(label, set())
                        found = _next(iterator)
                    else:
                        found = self._value(value, values, arguments)
                    values[part.target.name] = found
                elif kind is ir.SetItem:
                    values[part.target.name][values[part.index.name]] = values[part.value.name]
                elif kind is ir.Jump:
                    label = part.target
                elif kind is ir.Branch:
                    label = part.truebr if values[part.cond.name] else part.falsebr
                elif kind is ir.Return:
                    return values[part.value.name]
                elif kind is not ir.Del:
                    raise UnknownStatementError(str(part))

    def _value(self, value: Any, values: dict[str, Any], arguments: tuple) -> Any:
        from numba.core import ir

        kind = type(value)
        if kind is ir.Var:
            return values[value.name]
        if kind is ir.Arg:
            return arguments[value.index]
        if kind in (ir.Const, ir.Global, ir.FreeVar):
            return value.value
        if kind is not ir.Expr:
            raise UnknownStatementError(str(value))
        return self._expression(value, values)

    def _expression(self, value: Any, values: dict[str, Any]) -> Any:
        match value.op:
            case "getitem":
                return values[value.value.name][values[value.index.name]]
            case "static_getitem":
                return values[value.value.name][value.index]
            case "binop" | "inplace_binop":
                return value.fn(values[value.lhs.name], values[value.rhs.name])
            case "unary":
                return value.fn(values[value.value.name])
            case "getattr":
                return _attribute(values[value.value.name], value.attr)
            case "call":
                more = () if value.vararg is None else values[value.vararg.name]
                if value.varkwarg is not None:
                    raise UnknownStatementError("names in a dict")
                arguments = (*(values[one.name] for one in value.args), *more)
                named = {name: values[one.name] for name, one in value.kws}
                return self._call(values[value.func.name], arguments, named)
            case "cast":
                return values[value.value.name]
            case "pair_first":
                return values[value.value.name][0]
            case "pair_second":
                return values[value.value.name][1]
            case "getiter":
                return iter(values[value.value.name])
            case "exhaust_iter":
                return tuple(values[value.value.name])
            case "build_tuple":
                return tuple(values[one.name] for one in value.items)
            case "build_list":
                return [values[one.name] for one in value.items]
        raise UnknownStatementError(value.op)

    def _call(self, function: Any, arguments: tuple, named: dict[str, Any]) -> Any:
        import numba

        if function is numba.prange and not named:
            return _ParallelSteps(range(*arguments))
        if function is print:
            return None
        if hasattr(function, "py_func") and not named:
            return self.call(function, *arguments)
        if not _is_known(function) or (named and any(function is one for one in _BUILTINS)):
            raise UnknownStatementError(f"a call of {function!r}")
        return function(*arguments, **named)


class _ParallelSteps:
    """The steps of a ``prange``, one after another."""

    def __init__(self, steps: range) -> None:
        self._steps = iter(steps)

    def __iter__(self) -> _ParallelSteps:
        return self

    def __next__(self) -> int:
        return next(self._steps)


class _Reading(NamedTuple):
    """A function as Numba reads it, in blocks; ``bodies`` are those of loops, by their heads."""

    plain: types.FunctionType
    blocks: dict[int, Any]
    first: int
    bodies: dict[int, set[int]]

    def bound(self, given: tuple) -> tuple:
        """A value for each parameter."""
        code = self.plain.__code__
        if len(given) == code.co_argcount and not code.co_flags & inspect.CO_VARARGS:
            return given
        bound = inspect.signature(self.plain).bind(*given)
        bound.apply_defaults()
        return tuple(bound.arguments.values())


@lru_cache(maxsize=32)
def _reading_of(plain: types.FunctionType) -> _Reading:
    from numba.core.compiler import run_frontend
    from numba.core.ir_utils import compute_cfg_from_blocks

    blocks = run_frontend(plain, inline_closures=True).blocks
    loops = compute_cfg_from_blocks(blocks).loops().values()
    bodies = {loop.header: set(loop.body) - {loop.header} for loop in loops}
    return _Reading(plain, blocks, min(blocks), bodies)


def _next(iterator: Iterator) -> tuple[Any, bool]:
    try:
        return next(iterator), True
    except StopIteration:
        return None, False


def _attribute(owner: Any, name: str) -> Any:
    import numba

    kinds = [names for kind, names in _ATTRIBUTES.items() if isinstance(owner, kind)]
    if owner in (np, math, numba) if isinstance(owner, types.ModuleType) else name in kinds[0]:
        return getattr(owner, name)
    raise UnknownStatementError(f"{name} of {type(owner).__name__}")


def _is_known(function: Any) -> bool:
    """Whether a function, of a library or of a value, makes numbers and arrays and no more."""
    import numba

    numbers_of = numba.get_num_threads, numba.get_thread_id
    if any(function is one for one in (*_BUILTINS, *_numpy_functions(), *numbers_of)):
        return True
    if isinstance(function, types.BuiltinFunctionType):
        owner = function.__self__
        return owner is math or isinstance(owner, np.ndarray | np.generic | list)
    if isinstance(function, type):
        return issubclass(function, np.generic | np.ndindex)
    return isinstance(function, np.ufunc | numba.types.Number)


@cache
def _numpy_functions() -> tuple[Any, ...]:
    return tuple(getattr(np, name) for name in _NUMPY.split())
