"""One thread goes over all elements of an array: the loop behind every reduction."""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from gpuedu.simt.program import (
    BOOL,
    INT64,
    Binary,
    Const,
    Expression,
    Extent,
)
from gpuedu.simt.python.counted import over_range
from gpuedu.simt.python.lowerer import Lowerer, cast
from gpuedu.simt.python.operators import operate
from gpuedu.simt.values import Array, Scalar, Value

Step = Callable[[Scalar, Scalar], Value]
"""Computes the next result from the result so far and an element."""

SO_FAR = "$fold"
ZERO, ONE = Const(np.int64(0)), Const(np.int64(1))


def element(k: Lowerer, node: ast.AST, array: Array, number: Expression) -> Scalar:
    """The element at a position in C order, whatever the array's dimensions."""
    return k.load(node, array.slot, position(k, array, number))


def position(k: Lowerer, array: Array, number: Expression) -> tuple[Expression, ...]:
    """The index of the element at a position in C order."""
    rest = k.builder.keep(cast(number, INT64))
    index: list[Expression] = []
    for axis in range(array.slot.type.ndim - 1, 0, -1):
        extent = Extent(array.slot, axis)
        index.insert(0, k.builder.keep(Binary("%", rest, extent, INT64)))
        rest = k.builder.keep(Binary("//", rest, extent, INT64))
    return (rest, *index) if array.slot.type.ndim else ()


def fold(
    k: Lowerer,
    node: ast.AST,
    array: Array,
    start: Scalar | None,
    step: Step,
    until: Callable[[Scalar], Expression] | None = None,
) -> Scalar:
    """Combine all elements in order, by every thread.

    Args:
        k: The kernel.
        node: The call.
        array: What the loop goes over.
        start: The result before the first element; None starts with the first element itself.
        step: Computes the next result.
        until: Ends the loop for threads for whose result it holds.
    """
    first = element(k, node, array, ZERO) if start is None else start
    k.builder.assign(SO_FAR, first)

    def body(number: Scalar) -> None:
        at = element(k, node, array, number.expression)
        k.builder.assign(SO_FAR, step(result_so_far(k), at))
        if until is not None:
            enough = k.builder.keep(until(result_so_far(k)))
            k.builder.branch(enough, k.builder.leave_loop, lambda: None, {SO_FAR})

    size = Extent(array.slot, -1)
    over_range(k, node, (ONE if start is None else ZERO, size, ONE), body, {SO_FAR})
    result = result_so_far(k)
    assert k.builder.names is not None
    del k.builder.names[SO_FAR]
    return result


def result_so_far(k: Lowerer) -> Scalar:
    """The result before the element at hand."""
    assert k.builder.names is not None
    value = k.builder.names[SO_FAR]
    assert isinstance(value, Scalar)
    return value


def computed(k: Lowerer, node: ast.AST, operator: str, left: Value, right: Value) -> Scalar:
    """A number from two, by Numba's typing of the operator."""
    return k.scalar(node, operate(k, node, operator, left, right))


def number_of(dtype: np.dtype, value: int) -> Scalar:
    """A constant."""
    return Scalar(Const(dtype.type(value)))


def is_nan(value: Scalar) -> Expression:
    """Whether a number is NaN; never for integers."""
    if value.dtype.kind not in "fc":
        return Const(np.bool_(False))
    return Binary("!=", value.expression, value.expression, BOOL)


def wide(dtype: np.dtype) -> np.dtype:
    """The type that a sum of integers is kept in."""
    if dtype.kind not in "biu":
        return dtype
    return np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
