"""Loops of a Python kernel: ``while``, and ``for`` over ranges, arrays and tuples."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import reduce

import numpy as np

from gpuedu.simt.host.names import dotted_name
from gpuedu.simt.program import (
    BOOL,
    INT64,
    Binary,
    Branch,
    Const,
    Expression,
    Extent,
    Loop,
    Select,
)
from gpuedu.simt.python import arrays, folds, views
from gpuedu.simt.python.assignments import assign
from gpuedu.simt.python.counted import over_range
from gpuedu.simt.python.dispatch import STATEMENTS, evaluate, run
from gpuedu.simt.python.liveness import assigned
from gpuedu.simt.python.lowerer import Lowerer, cast
from gpuedu.simt.python.operators import operate
from gpuedu.simt.typing_rules import range_item
from gpuedu.simt.values import Array, Scalar, Static, Tuple, Value, kind_of


@STATEMENTS.enter(ast.While)
def while_loop(k: Lowerer, node: ast.While) -> None:
    """``while test: body``."""
    carried = assigned(node.body) & k.function.live.head[id(node)]

    def lower(loop: Loop) -> None:
        with k.builder.lowering(loop.test):
            k.builder.mark(k.function.place(node.test))
            loop.condition = k.truth(node.test, evaluate(k, node.test))
        entry = Branch(k.function.place(node.test), k.function.text(node.test))
        if not isinstance(loop.condition, Const):
            loop.branch = k.tables.add("branches", entry)
        with k.builder.lowering(loop.body):
            run(k, node.body)

    k.at(node, k.builder.loop, lower, carried, k.function.place(node))


@STATEMENTS.enter(ast.For)
def for_loop(k: Lowerer, node: ast.For) -> None:
    """``for target in iterable: body``."""

    def step(value: Value) -> None:
        assign(k, node.target, value)
        run(k, node.body)

    carried = (assigned(node.body) | assigned([node])) & k.function.live.head[id(node)]
    _iterate(k, node, node.iter, step, carried)


def _iterate(
    k: Lowerer,
    node: ast.For,
    iterable: ast.expr,
    step: Callable[[Value], None],
    carried: Iterable[str],
) -> None:
    name = _called(k, iterable)
    if name == "builtins.range" or name.endswith("prange"):
        assert isinstance(iterable, ast.Call)
        over_range(k, node, _bounds(k, iterable), step, carried)
        return
    if name.endswith(".literal_unroll"):
        _unroll(k, node, iterable, step)
        return
    found = _sequence(k, node, iterable)
    if found is None:
        raise k.refuse(
            node,
            "a loop in a kernel runs over `range`, an array, a tuple of one type, `enumerate` or "
            "`zip`",
        )
    length, item = found
    over_range(k, node, _whole(length), lambda index: step(item(index)), carried)


def _unroll(k: Lowerer, node: ast.For, iterable: ast.expr, step: Callable[[Value], None]) -> None:
    """One body for each item of a tuple whose items may have different types."""
    assert isinstance(iterable, ast.Call)
    value = evaluate(k, iterable.args[0])
    if not isinstance(value, Tuple):
        raise k.refuse(node, "`literal_unroll` needs a tuple")
    if any(isinstance(part, ast.Break | ast.Continue) for part in ast.walk(node)):
        raise k.refuse(node, "a loop over `literal_unroll` cannot be left early")
    for item in value.items:
        step(item)


Sequence = tuple[Expression, Callable[[Scalar], Value]]
"""The length of something that a loop runs over, and its item at an index."""


def _sequence(k: Lowerer, node: ast.For, iterable: ast.expr) -> Sequence | None:
    """An array, a tuple, ``enumerate``, ``zip`` or a range in one; None for anything else."""
    made = _CALLED.get(_called(k, iterable))
    if made is not None:
        assert isinstance(iterable, ast.Call)
        return made(k, node, iterable)
    value = evaluate(k, iterable)
    if isinstance(value, Static) and isinstance(value.object, views.Flat):
        owner = value.object.owner
        whole = Extent(owner.slot, -1)
        return whole, lambda i: folds.element(k, node.iter, owner, i.expression)
    if isinstance(value, Tuple) and len({kind_of(item) for item in value.items}) == 1:
        length = Const(np.int64(len(value.items)))
        return length, lambda i: arrays.pick(k, node, value, cast(i.expression, INT64))
    if isinstance(value, Array) and value.slot.type.ndim:
        return Extent(value.slot, 0), lambda i: _element(k, node, value, i)
    return None


def _enumerate(k: Lowerer, node: ast.For, call: ast.Call) -> Sequence | None:
    if not 1 <= len(call.args) <= 2 or call.keywords:
        raise k.refuse(
            node,
            "`enumerate` takes what it counts and, without a name, the first number",
            "enumerate(a, 1)",
        )
    inner = _sequence(k, node, call.args[0])
    if inner is None:
        return None
    begin = Scalar(Const(np.int64(0)))
    if len(call.args) == 2:
        begin = Scalar(k.builder.keep(k.integer(node, evaluate(k, call.args[1]))))
    length, item = inner
    return length, lambda i: Tuple((operate(k, node, "+", i, begin), item(i)))


def _zip(k: Lowerer, node: ast.For, call: ast.Call) -> Sequence | None:
    inners = [_sequence(k, node, part) for part in call.args]
    if not inners or None in inners:
        return None
    lengths = [inner[0] for inner in inners]  # type: ignore[index]
    shortest = reduce(_smaller, lengths)
    return shortest, lambda i: Tuple(tuple(inner[1](i) for inner in inners))  # type: ignore[index]


def _range(k: Lowerer, node: ast.For, call: ast.Call) -> Sequence:
    """A range that is counted beside something else."""
    start, stop, stride = (k.builder.keep(bound) for bound in _bounds(k, call))
    dtype = start.dtype
    zero, one, minus_one = (Const(np.int64(n).astype(dtype)) for n in (0, 1, -1))
    up = Binary(">", stride, zero, BOOL)
    ahead = Select(up, Binary("<", start, stop, BOOL), Binary(">", start, stop, BOOL), BOOL)
    # The strides to the last number inside, and that number itself.
    last = Binary("-", Binary("-", stop, start, dtype), Select(up, one, minus_one, dtype), dtype)
    turns = Binary("+", Binary("//", last, stride, dtype), one, dtype)
    length = k.builder.keep(Select(ahead, turns, zero, dtype))

    def item(index: Scalar) -> Scalar:
        steps = Binary("*", cast(index.expression, dtype), stride, dtype)
        return Scalar(Binary("+", start, steps, dtype))

    return cast(length, INT64), item


_CALLED: dict[str, Callable[[Lowerer, ast.For, ast.Call], Sequence | None]] = {
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.range": _range,
}


def _called(k: Lowerer, node: ast.expr) -> str:
    """The dotted name of what an iterable calls; empty for other expressions."""
    if not isinstance(node, ast.Call):
        return ""
    callee = evaluate(k, node.func)
    return (dotted_name(callee.object) or "") if isinstance(callee, Static) else ""


def _bounds(k: Lowerer, node: ast.Call) -> tuple[Expression, Expression, Expression]:
    bounds = [k.scalar(node, evaluate(k, part)) for part in node.args]
    if not 1 <= len(bounds) <= 3 or any(bound.dtype.kind not in "iub" for bound in bounds):
        raise k.refuse(node, "`range` takes one to three integers", "convert with int(...)")
    dtype = k.at(node, range_item, tuple(bound.dtype for bound in bounds))
    parts = [cast(bound.expression, dtype) for bound in bounds]
    zero, one = Const(dtype.type(0)), Const(dtype.type(1))
    if len(parts) == 1:
        return zero, parts[0], one
    return parts[0], parts[1], parts[2] if len(parts) == 3 else one


def _whole(length: Expression) -> tuple[Expression, Expression, Expression]:
    return Const(np.int64(0)), length, Const(np.int64(1))


def _element(k: Lowerer, node: ast.AST, value: Array, index: Scalar) -> Value:
    at = cast(index.expression, INT64)
    if value.slot.type.ndim == 1 and not value.slot.type.dtype.names:
        return k.load(node.iter if isinstance(node, ast.For) else node, value.slot, (at,))
    return views.subview(k, value.slot, [at])


def _smaller(left: Expression, right: Expression) -> Expression:
    return Select(Binary("<", left, right, BOOL), left, right, INT64)
