"""Calls that make or change memory in a Python kernel: arrays of a block or thread, atomics."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.simt.host.names import dtype_of
from gpuedu.simt.program import (
    BOOL,
    ArrayType,
    Atomic,
    Axis,
    Const,
    Expression,
    LocalArray,
    Random,
    SharedArray,
)
from gpuedu.simt.python import arrays
from gpuedu.simt.python.dispatch import evaluate
from gpuedu.simt.python.lowerer import Lowerer, cast
from gpuedu.simt.values import Array, Scalar, Static, Tuple, Value
from gpuedu.trace import Operation, Space


def _bind(k: Lowerer, node: ast.Call, names: tuple[str, ...]) -> dict[str, Value]:
    given = dict(zip(names, (evaluate(k, argument) for argument in node.args), strict=False))
    for word in node.keywords:
        if word.arg not in names:
            raise k.refuse(
                node, f"`{word.arg}` is not an argument of `{k.function.text(node.func)}`"
            )
        given[word.arg] = evaluate(k, word.value)
    return given


def _shape_and_dtype(
    k: Lowerer, node: ast.Call, given: dict[str, Value]
) -> tuple[tuple[int, ...], np.dtype]:
    try:
        shape = _literal(given["shape"])
        thing = k.static(given["dtype"])
    except KeyError as missing:
        raise k.refuse(node, f"{missing} is missing", "give a shape and a dtype") from None
    except LookupError:
        raise k.refuse(
            node,
            "the shape must be known when the kernel is compiled: whole numbers as written, or "
            "names of plain `int`s from outside the kernel",
            "write the number, or compute it outside the kernel (`SIZE = TILE + 2`) and name it",
        ) from None
    dtype = dtype_of(thing)
    if type(thing) is int:
        raise _loose_extents(k, node)
    if dtype is None:
        raise k.refuse(node, f"{thing!r} is not a number type", "use `float32` from numba")
    shape = shape if isinstance(shape, tuple) else (shape,)
    if not all(isinstance(extent, int) and extent >= 0 for extent in shape):
        raise k.refuse(node, f"{shape} is not a shape: each extent is a whole number")
    return shape, dtype


def _literal(value: Value) -> Any:
    """A shape of plain ints, which are literals to Numba; LookupError for others."""
    match value:
        case Scalar(expression, int() as literal) if expression.dtype != BOOL:
            return literal
        case Scalar(Const(number)) if number.dtype.kind not in "iub":
            return number.item()
        case Tuple(items):
            return tuple(_literal(item) for item in items)
    raise LookupError


def _loose_extents(k: Lowerer, node: ast.Call) -> Exception:
    """What is said of ``array(32, 33, float32)``: a number stands where the dtype should."""
    extents = node.args[: max(2, len(node.args) - 1)]
    shape = ", ".join(ast.unparse(extent) for extent in extents)
    return k.refuse(
        node,
        f"the shape is one argument, and {shape} are {len(extents)}",
        f"write `({shape})`, in its own parentheses, followed by the dtype",
    )


def shared_array(k: Lowerer, node: ast.Call) -> Value:
    """``cuda.shared.array(shape, dtype, alignment=None)``; shape 0 is dynamic shared memory."""
    given = _bind(k, node, ("shape", "dtype", "alignment"))
    shape, dtype = _shape_and_dtype(k, node, given)
    alignment = _alignment(k, node, given)
    slot = k.builder.array_slot(
        _target_name(k, node, "shared"), ArrayType(dtype, len(shape), Space.SHARED)
    )
    dynamic = shape == (0,)
    k.tables.add("shared", SharedArray(slot, () if dynamic else shape, dynamic, alignment))
    return Array(slot)


def local_array(k: Lowerer, node: ast.Call) -> Value:
    """``cuda.local.array(shape, dtype, alignment=None)``."""
    given = _bind(k, node, ("shape", "dtype", "alignment"))
    shape, dtype = _shape_and_dtype(k, node, given)
    _alignment(k, node, given)
    slot = k.builder.array_slot(
        _target_name(k, node, "local"), ArrayType(dtype, len(shape), Space.LOCAL)
    )
    k.tables.add("local", LocalArray(slot, shape))
    return Array(slot)


def _alignment(k: Lowerer, node: ast.Call, given: dict[str, Value]) -> int:
    if "alignment" not in given:
        return 0
    try:
        alignment = k.static(given["alignment"])
    except LookupError:
        raise k.refuse(node, "the alignment must be a number known in advance") from None
    if alignment is None:
        return 0
    if not isinstance(alignment, int) or alignment <= 0 or alignment & (alignment - 1):
        raise k.refuse(node, f"the alignment must be a power of 2, this is {alignment!r}")
    return alignment


def _target_name(k: Lowerer, node: ast.Call, default: str) -> str:
    """The name that the array is assigned to, for messages and figures."""
    for statement in ast.walk(k.function.tree):
        if isinstance(statement, ast.Assign):
            pairs = _pairs(statement)
            for target, value in pairs:
                if value is node and isinstance(target, ast.Name):
                    return target.id
    return default


def _pairs(statement: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target, value)]


def const_array_like(k: Lowerer, node: ast.Call) -> Value:
    """``cuda.const.array_like(array)`` of an array from outside."""
    given = _bind(k, node, ("ary",))
    value = given.get("ary")
    if isinstance(value, Array) and value.slot.type.space is Space.CONSTANT:
        return value
    raise k.refuse(node, "`const.array_like` needs a NumPy array from outside the kernel")


# Atomics

_ONE_OPERAND = (
    "add",
    "sub",
    "max",
    "min",
    "nanmax",
    "nanmin",
    "and_",
    "or_",
    "xor",
    "exch",
    "inc",
    "dec",
)
_INTEGERS_ONLY = {"and_", "or_", "xor", "exch"}
_UNSIGNED_ONLY = {"inc", "dec"}


def _atomic(operation: str) -> Callable[[Lowerer, ast.Call], Value]:
    def lower(k: Lowerer, node: ast.Call) -> Value:
        arguments = [evaluate(k, argument) for argument in node.args]
        arguments += [evaluate(k, word.value) for word in node.keywords]
        wanted = {"compare_and_swap": 3, "cas": 4}.get(operation, 3)
        if len(arguments) != wanted or not isinstance(arguments[0], Array):
            raise k.refuse(
                node, f"`atomic.{operation}` needs an array and {wanted - 1} more arguments"
            )
        slot = arguments[0].slot
        _check_type(k, node, operation, slot.type)
        if operation == "compare_and_swap":
            index, operands = [Const(np.int64(0))] * slot.type.ndim, arguments[1:]
        else:
            index, operands = _index(k, node, slot.type.ndim, arguments[1]), arguments[2:]
        values = tuple(k.cast(node, value, slot.type.dtype) for value in operands)
        result = k.builder.slot("t", slot.type.dtype)
        site = k.site(node, Operation.ATOMIC, slot)
        used = not _is_statement(k, node)
        k.builder.emit(
            Atomic(result if used else None, operation, slot, tuple(index), values, site)
        )
        return Scalar(result)

    return lower


def _index(k: Lowerer, node: ast.Call, ndim: int, value: Value) -> list[Expression]:
    items = value.items if isinstance(value, Tuple) else (value,)
    if len(items) != ndim:
        raise k.refuse(node, f"the array has {ndim} dimensions, the index has {len(items)}")
    return [k.integer(node, item) for item in items]


def _check_type(k: Lowerer, node: ast.Call, operation: str, type_: ArrayType) -> None:
    if type_.readonly:
        raise k.refuse(node, "constant memory cannot be changed")
    name, kind = type_.dtype.name, type_.dtype.kind
    wide = type_.dtype.itemsize >= 4
    if operation in ("cas", "compare_and_swap"):
        fits = kind in "iu" and type_.dtype.itemsize >= (2 if operation == "cas" else 4)
    elif operation in _UNSIGNED_ONLY:
        fits = kind == "u" and wide
    elif operation in _INTEGERS_ONLY:
        fits = kind in "iu" and wide
    else:
        fits = kind in "iuf" and wide
    if not fits:
        raise k.refuse(node, f"`atomic.{operation}` has no form for an array of {name}")


def _is_statement(k: Lowerer, node: ast.Call) -> bool:
    """True if the old value is thrown away."""
    return any(
        isinstance(statement, ast.Expr) and statement.value is node
        for statement in ast.walk(k.function.tree)
    )


# Random numbers


def _random(function: str, dtype: str) -> Callable[[Lowerer, ast.Call], Value]:
    def lower(k: Lowerer, node: ast.Call) -> Value:
        given = _bind(k, node, ("states", "index"))
        states = arrays.array_argument(k, node, given["states"])
        index = k.integer(node, given["index"])
        slot = k.builder.slot("t", np.dtype(dtype))
        load = k.site(node, Operation.LOAD, states.slot)
        store = k.site(node, Operation.STORE, states.slot)
        k.builder.emit(Random(slot, function, states.slot, index, load, store))
        return Scalar(slot)

    return lower


# Loops' iterables and other objects that only a loop understands


def _range(k: Lowerer, node: ast.Call) -> Value:
    return Static(("range", tuple(k.builder.hold(evaluate(k, part)) for part in node.args)))


CALLS: dict[str, Callable[[Lowerer, ast.Call], Any]] = {
    "cuda.shared.array": shared_array,
    "cuda.local.array": local_array,
    "cuda.const.array_like": const_array_like,
    **{f"cuda.atomic.{name}": _atomic(name) for name in (*_ONE_OPERAND, "compare_and_swap", "cas")},
    **{
        f"cuda.random.xoroshiro128p_{name}": _random(f"xoroshiro128p_{name}", dtype)
        for name, dtype in {
            "uniform_float32": "float32",
            "uniform_float64": "float64",
            "normal_float32": "float32",
            "normal_float64": "float64",
            "next": "uint64",
        }.items()
    },
}

__all__ = ["CALLS", "Axis", "cast", "const_array_like", "local_array", "shared_array"]
