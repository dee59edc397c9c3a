"""Arguments of a launch from their text: one line for each, written as annotated names.

``x: float32[1024] = random``, ``n: int32 = 1000``, ``n = 1000``, ``table = [1, 2, 4]``. Shapes and
values may use the constants of the kernel's text, and arguments of the lines above.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gpuedu.playground.constants import NotConstantError, evaluate
from gpuedu.playground.faults import ARGUMENTS, PlaygroundError
from gpuedu.playground.imports import types
from gpuedu.playground.suggestions import suggest
from gpuedu.simt.host.random import (
    init_xoroshiro128p_states_cpu,
    xoroshiro128p_dtype,
)

MOST_BYTES = 64 << 20
_EXAMPLE = "x: float32[1024] = random"
_FILLS = "zeros, ones, arange, random, shuffled, a number or a list"
_MADE = "create_xoroshiro128p_states"


def build(source: str, constants: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by name, in order of the text: NumPy arrays, NumPy scalars, plain numbers.

    Raises:
        PlaygroundError: A line cannot be read, or the arrays are too large.
    """
    given: dict[str, Any] = {}
    known = dict(types()) | dict(constants)
    for statement in _parse(source):
        name, value = _argument(statement, known)
        given[name] = known[name] = value
        total = sum(v.nbytes for v in given.values() if isinstance(v, np.ndarray))
        if total > MOST_BYTES:
            raise _fault(statement, _too_large(total), "a smaller size shows the same pattern")
    return given


def match(given: Mapping[str, Any], kernel: Callable, name: str, source: str = "") -> list[Any]:
    """The arguments in the order of a kernel's parameters; ``source`` is the text they come from.

    Raises:
        PlaygroundError: One is missing, or an array is not one of the kernel's.
    """
    parameters = inspect.signature(kernel).parameters
    wanted = [p for p in parameters.values() if p.kind is not p.VAR_POSITIONAL]
    taken = ", ".join(f"`{parameter.name}`" for parameter in wanted)
    missing = [p.name for p in wanted if p.name not in given and p.default is p.empty]
    if missing:
        raise PlaygroundError(
            f"`{name}` takes {taken or 'nothing'}, and there is no value for `{missing[0]}`",
            remedy=f"add a line such as `{missing[0]}: float32[1024] = random`",
            field=ARGUMENTS,
            suggestion=suggest(source, kernel),
        )
    for line, (other, value) in enumerate(given.items(), 1):
        if isinstance(value, np.ndarray) and other not in parameters:
            raise PlaygroundError(
                f"`{other}` is not an argument of `{name}`, which takes {taken or 'nothing'}",
                remedy="remove the line, or use the name that the kernel has",
                field=ARGUMENTS,
                line=line,
                suggestion=suggest(source, kernel),
            )
    return [given.get(p.name, p.default) for p in wanted]


def _parse(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
        line = min(getattr(fault, "lineno", 1) or 1, max(len(source.splitlines()), 1))
        raise PlaygroundError(
            f"line {line} of the arguments cannot be read",
            remedy=f"write one argument a line, as in `{_EXAMPLE}`",
            field=ARGUMENTS,
            line=line,
        ) from None


def _argument(statement: ast.stmt, known: dict[str, Any]) -> tuple[str, Any]:
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=value):
            return name, _annotated(statement, kind, value, known)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, _plain(statement, value, known)
    raise _fault(statement, "this is not an argument", f"a name first, as in `{_EXAMPLE}`")


def _annotated(statement: ast.stmt, kind: ast.expr, value: ast.expr | None, known: dict) -> Any:
    """The argument that a type and a fill describe."""
    dtype, shape = _type(statement, kind, known)
    if shape is None:
        if value is None:
            raise _fault(statement, "a number needs a value", "write `= 1000` after its type")
        return _cast(statement, _evaluate(statement, value, known), dtype)
    if math.prod(map(float, shape)) * dtype.itemsize > MOST_BYTES:
        size = math.prod(shape) * dtype.itemsize
        raise _fault(statement, _too_large(size), "a smaller size shows the same pattern")
    return _filled(statement, value, dtype, shape, known)


def _type(statement: ast.stmt, kind: ast.expr, known: dict) -> tuple[np.dtype, Any]:
    """The dtype and the shape of ``float32[N, N]``; no shape for a number."""
    base, extents = (kind.value, kind.slice) if isinstance(kind, ast.Subscript) else (kind, None)
    try:
        dtype = np.dtype(evaluate(base, known))
    except (NotConstantError, TypeError):
        dtype = None
    if dtype is None or dtype.kind not in "biufc":
        raise _fault(
            statement,
            f"`{ast.unparse(base)}` is not a number type",
            "float32, float64, float16, int32, int64, uint8, bool or another of NumPy's",
        )
    if extents is None:
        return dtype, None
    shape = _evaluate(statement, extents, known)
    shape = shape if isinstance(shape, tuple) else (shape,)
    if not all(isinstance(n, int | np.integer) and n >= 0 for n in shape):
        raise _fault(
            statement,
            f"the shape `{ast.unparse(extents)}` comes to {shape}",
            "whole numbers that are not negative; round down with `//`",
        )
    return dtype, tuple(int(n) for n in shape)


def _plain(statement: ast.stmt, value: ast.expr, known: dict) -> Any:
    """An argument without a type: what the value has in Python; a list becomes an array."""
    if isinstance(value, ast.Call) and ast.unparse(value.func).endswith(_MADE):
        return _states(statement, value, known)
    found = _evaluate(statement, value, known)
    if isinstance(found, list):
        with contextlib.suppress(ValueError):  # a ragged one stays a list, and is refused below
            found = np.array(found)
    is_number = isinstance(found, bool | int | float | complex | np.generic | np.ndarray)
    if not is_number or (isinstance(found, np.ndarray) and found.dtype.kind not in "biufc"):
        raise _fault(
            statement, f"`{ast.unparse(value)}` is neither a number nor an array", f"`{_EXAMPLE}`"
        )
    return found.copy() if isinstance(found, np.ndarray) else found


def _states(statement: ast.stmt, call: ast.Call, known: dict) -> np.ndarray:
    words = {word.arg: word.value for word in call.keywords}
    nodes = [*call.args, *(words[name] for name in ("n", "seed") if name in words)]
    values = [_evaluate(statement, node, known) for node in nodes]
    if (
        len(values) != 2
        or not all(isinstance(v, int) for v in values)
        or not 0 < values[0] <= 1 << 20
    ):
        raise _fault(statement, "the states cannot be made", f"`{_MADE}(1024, seed=7)`")
    states = np.empty(values[0], xoroshiro128p_dtype)
    init_xoroshiro128p_states_cpu(states, values[1], 0)
    return states


def _filled(
    statement: ast.stmt,
    value: ast.expr | None,
    dtype: np.dtype,
    shape: tuple[int, ...],
    known: dict,
) -> np.ndarray:
    """An array as its fill says; zeros without one."""
    name, nodes = "zeros", []
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        name, nodes = value.func.id, value.args
    elif isinstance(value, ast.Name) and value.id in _BY_NAME:
        name = value.id
    elif value is not None:
        found = _evaluate(statement, value, known)
        return _spread(statement, found, dtype, shape)
    if name not in _BY_NAME:
        raise _fault(statement, f"`{name}` is not a way to fill an array", _FILLS)
    options = [_evaluate(statement, node, known) for node in nodes]
    try:
        with np.errstate(all="ignore"):
            made = _BY_NAME[name](math.prod(shape), dtype, *options)
            return np.asarray(made).astype(dtype).reshape(shape)
    except (TypeError, ValueError, OverflowError) as fault:
        raise _fault(
            statement, f"`{ast.unparse(value)}` cannot fill the array: {fault}", _FILLS
        ) from None


def _spread(statement: ast.stmt, found: Any, dtype: np.dtype, shape: tuple[int, ...]) -> Any:
    try:
        return np.ascontiguousarray(np.broadcast_to(np.asarray(found), shape).astype(dtype))
    except (ValueError, TypeError):
        raise _fault(
            statement,
            f"what fills it does not fit the shape {shape}",
            f"one number, or a list of that shape; or one of {_FILLS}",
        ) from None


def _random(count: int, dtype: np.dtype, seed: int = 0, low: Any = None, high: Any = None) -> Any:
    """Evenly distributed: reals from 0 to 1, whole numbers from 0 to 99, or between two bounds."""
    draw = np.random.default_rng(seed)
    if dtype.kind == "b":
        return draw.integers(0, 2, count)
    if dtype.kind in "iu":
        return draw.integers(low or 0, 100 if high is None else high, count)
    made = draw.uniform(low or 0.0, 1.0 if high is None else high, count)
    return made + 1j * draw.uniform(size=count) if dtype.kind == "c" else made


_BY_NAME: dict[str, Callable[..., Any]] = {
    "zeros": lambda count, dtype: np.zeros(count),
    "ones": lambda count, dtype: np.ones(count),
    "arange": lambda count, dtype, start=0, step=1: start + step * np.arange(count),
    "random": _random,
    "shuffled": lambda count, dtype, seed=0: np.random.default_rng(seed).permutation(count),
}


def _cast(statement: ast.stmt, value: Any, dtype: np.dtype) -> Any:
    try:
        with np.errstate(all="ignore"):
            made = np.asarray(value).astype(dtype)
    except (TypeError, ValueError, OverflowError):
        made = np.zeros(1)
    if made.shape:
        raise _fault(statement, f"the value is not a single {dtype.name}", "write a number")
    if dtype.kind in "iu" and made != np.asarray(value):
        raise _fault(statement, f"{value} does not fit into {dtype.name}", "a wider type")
    return made[()]


def _evaluate(statement: ast.stmt, node: ast.expr, known: Mapping[str, Any]) -> Any:
    try:
        return evaluate(node, known)
    except NotConstantError as fault:
        raise _fault(
            statement, f"`{ast.unparse(node)}` cannot be worked out: {fault}", _FILLS
        ) from None


def _too_large(size: int) -> str:
    return f"the arrays take {size / (1 << 20):,.0f} MiB; the limit here is {MOST_BYTES >> 20} MiB"


def _fault(statement: ast.stmt, message: str, remedy: str) -> PlaygroundError:
    return PlaygroundError(
        f"line {statement.lineno} of the arguments: {message}",
        remedy=remedy,
        field=ARGUMENTS,
        line=statement.lineno,
    )
