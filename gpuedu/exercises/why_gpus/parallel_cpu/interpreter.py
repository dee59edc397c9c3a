"""Carries out a compiled function by Numba's reading of it, one statement after another.

So it can be watched, and none of its Python is run: a statement that is not known here, or a call
of what is not listed here, ends it.
"""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from operator import itemgetter
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


Step = Callable[[dict[Any, Any]], Any]
"""Gives a value from those that have names, and those of arguments, which have numbers."""
_RESULT = "return"
_SEVERAL = 4
"""Threads, where this machine has one: who shares the work among all does so on another one."""


class UnknownStatementError(Exception):
    """The function does what is not known here."""


class Interpreter:
    """Carries functions out.

    Attributes:
        step: the number of the step of a ``prange`` that is under way, of the outermost one; None
            outside of all.
    """

    def __init__(self) -> None:
        self.step: int | None = None
        self._read: dict[types.FunctionType, dict[int, _Block]] = {}

    def call(self, function: Any, *arguments: Any) -> Any:
        """What a function of Numba's gives.

        Raises:
            UnknownStatementError: it does what is not known here.
        """
        plain = getattr(function, "py_func", function)
        if plain not in self._read:
            self._read[plain] = self._blocks(plain)
        around = self.step
        try:
            return self._run(self._read[plain], _bound(plain, arguments))
        finally:
            self.step = around

    @property
    def in_parallel(self) -> bool:
        """Whether a step of a ``prange`` is under way."""
        return self.step is not None

    def _run(self, blocks: dict[int, _Block], arguments: Sequence[Any]) -> Any:
        around, values = self.step, dict[Any, Any](enumerate(arguments))
        parallel: dict[int, _ParallelSteps] = {}
        label: int | None = min(blocks)
        while label is not None:
            self.step = around
            if around is None and label in parallel:
                self.step = parallel[label].number
            block = blocks[label]
            for name, step in block.steps:
                values[name] = step(values)
            steps = values.get(block.iterator)
            if isinstance(steps, _ParallelSteps) and self.step is None:  # none is around it
                parallel |= dict.fromkeys(block.loop, steps)
            label = block.then(values)
        return values[_RESULT]

    def _blocks(self, plain: types.FunctionType) -> dict[int, _Block]:
        """A function as Numba reads it: blocks by their labels, of which the smallest is first."""
        from numba.core.compiler import run_frontend
        from numba.core.ir_utils import compute_cfg_from_blocks

        blocks = run_frontend(plain, inline_closures=True).blocks
        loops = compute_cfg_from_blocks(blocks).loops().values()
        bodies = {loop.header: set(loop.body) - {loop.header} for loop in loops}
        return {
            label: self._block(block, bodies.get(label, set())) for label, block in blocks.items()
        }

    def _block(self, block: Any, loop: set[int]) -> _Block:
        from numba.core import ir

        *parts, last = (part for part in block.body if not isinstance(part, ir.Del))
        steps = [self._statement(part) for part in parts]
        nexts = (part.value for part in block.find_insts(ir.Assign))
        iterators = [one.value.name for one in nexts if getattr(one, "op", "") == "iternext"]
        then = self._last(last)
        if isinstance(last, ir.Return):
            steps.append((_RESULT, itemgetter(last.value.name)))
        return _Block(steps, then, iterators[0] if iterators else "", loop)

    def _statement(self, part: Any) -> tuple[str, Step]:
        from numba.core import ir

        if isinstance(part, ir.Assign):
            return part.target.name, self._value(part.value)
        if isinstance(part, ir.SetItem):
            names = part.target.name, part.index.name, part.value.name
            return "", lambda values: _set(*(values[name] for name in names))
        return "", _unknown(part)

    def _last(self, part: Any) -> Callable[[dict[Any, Any]], int | None]:
        """What gives the label of the next block, None at the end."""
        from numba.core import ir

        if isinstance(part, ir.Return):
            return lambda values: None
        if isinstance(part, ir.Jump):
            return lambda values: part.target
        if isinstance(part, ir.Branch):
            condition, here, there = part.cond.name, part.truebr, part.falsebr
            return lambda values: here if values[condition] else there
        return _unknown(part)

    def _value(self, value: Any) -> Step:
        from numba.core import ir

        if isinstance(value, ir.Var):
            return itemgetter(value.name)
        if isinstance(value, ir.Arg):
            return itemgetter(value.index)
        if isinstance(value, ir.Const | ir.Global | ir.FreeVar):
            constant = value.value
            return lambda values: constant
        return self._expression(value) if isinstance(value, ir.Expr) else _unknown(value)

    def _expression(self, value: Any) -> Step:
        match value.op:
            case "getitem":
                array, index = value.value.name, value.index.name
                return lambda values: values[array][values[index]]
            case "static_getitem":
                array, index = value.value.name, value.index
                return lambda values: values[array][index]
            case "binop" | "inplace_binop":
                function, left, right = value.fn, value.lhs.name, value.rhs.name
                return lambda values: function(values[left], values[right])
            case "unary":
                function, one = value.fn, value.value.name
                return lambda values: function(values[one])
            case "getattr":
                owner, name = value.value.name, value.attr
                return lambda values: _attribute(values[owner], name)
            case "call" if value.varkwarg is None:
                return self._called(value)
            case "cast":
                return itemgetter(value.value.name)
            case "iternext":
                iterator = value.value.name
                return lambda values: _next(values[iterator])
            case "pair_first" | "pair_second":
                pair, at = value.value.name, int(value.op == "pair_second")
                return lambda values: values[pair][at]
            case "getiter" | "exhaust_iter":
                several, made = value.value.name, iter if value.op == "getiter" else tuple
                return lambda values: made(values[several])
            case "build_tuple" | "build_list":
                names = [one.name for one in value.items]
                made = tuple if value.op == "build_tuple" else list
                return lambda values: made([values[name] for name in names])
        return _unknown(value)

    def _called(self, value: Any) -> Step:
        function, more = value.func.name, value.vararg and value.vararg.name
        names, keys = [one.name for one in value.args], [(key, one.name) for key, one in value.kws]

        def called(values: dict[Any, Any]) -> Any:
            arguments = [values[name] for name in names]
            arguments += values[more] if more else ()
            return self._call(values[function], arguments, {key: values[at] for key, at in keys})

        return called

    def _call(self, function: Any, arguments: Sequence[Any], named: dict[str, Any]) -> Any:
        import numba

        if function is numba.prange and not named:
            return _ParallelSteps(range(*arguments))
        if function is print:
            return None
        if function is numba.get_num_threads:
            return numba.get_num_threads() if numba.get_num_threads() > 1 else _SEVERAL
        if hasattr(function, "py_func") and not named:
            return self.call(function, *arguments)
        if not _is_known(function) or (named and any(function is one for one in _BUILTINS)):
            raise UnknownStatementError(f"a call of {function!r}")
        return function(*arguments, **named)


class _ParallelSteps:
    """The steps of a ``prange``, one after another; ``number`` is that of the last one."""

    def __init__(self, steps: range) -> None:
        self._steps = iter(steps)
        self.number = -1

    def __iter__(self) -> _ParallelSteps:
        return self

    def __next__(self) -> int:
        self.number += 1
        return next(self._steps)


class _Block(NamedTuple):
    """Some steps, each with a name for what it gives; what then gives the label of the next block.

    Where it is the head of a loop, ``iterator`` is the name of what gives a value for each round,
    and ``loop`` are the labels of the blocks in it.
    """

    steps: list[tuple[str, Step]]
    then: Callable[[dict[Any, Any]], int | None]
    iterator: str
    loop: set[int]


def _bound(plain: types.FunctionType, given: tuple) -> Sequence[Any]:
    """A value for each parameter."""
    code = plain.__code__
    if len(given) == code.co_argcount and not code.co_flags & inspect.CO_VARARGS:
        return given
    bound = inspect.signature(plain).bind(*given)
    bound.apply_defaults()
    return tuple(bound.arguments.values())


def _unknown(part: Any) -> Callable[[dict[Any, Any]], Any]:
    def refuse(values: dict[Any, Any]) -> Any:
        raise UnknownStatementError(str(part))

    return refuse


def _set(array: Any, index: Any, value: Any) -> None:
    array[index] = value


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
