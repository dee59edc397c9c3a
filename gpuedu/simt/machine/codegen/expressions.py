"""Expressions of a program as Python text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.simt.intrinsics.functions import FUNCTIONS
from gpuedu.simt.intrinsics.mathematics import OPERATORS
from gpuedu.simt.intrinsics.rounding import to_integer
from gpuedu.simt.machine.codegen.writer import Writer, slot_name
from gpuedu.simt.machine.regions import flop_of
from gpuedu.simt.program import (
    Binary,
    Call,
    Cast,
    Const,
    Expression,
    Extent,
    Part,
    Record,
    Select,
    Slot,
    Special,
    Stride,
    Unary,
)

_PLAIN = {"+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "&", "|", "^"}


def text_of(w: Writer, node: Expression) -> str:
    """An expression as Python text; its floating-point work is entered into the region."""
    match node:
        case Const(value):
            return w.constant(value)
        case Slot():
            return slot_name(node)
        case Special(name):
            return f"M.{name}"
        case Extent(array, axis):
            return f"{slot_name(array)}.extent({axis})"
        case Stride(array, axis):
            return f"{slot_name(array)}.stride({axis})"
        case Cast(value, dtype):
            return _cast(w, value, dtype)
        case Unary(operator, value, dtype):
            inner = text_of(w, value)
            if operator in ("real", "imag"):
                return f"{inner}.{operator}"
            sign = {"not": "~", "-": "-", "~": "~"}[operator]
            return f"({sign}{inner})" if dtype != np.dtype(bool) else f"np.logical_not({inner})"
        case Binary():
            return _binary(w, node)
        case Select(condition, then, orelse):
            return (
                f"np.where({text_of(w, condition)}, {text_of(w, then)}, {text_of(w, orelse)})[()]"
            )
        case Call():
            return _call(w, node)
        case Part(record, name):
            return f"{text_of(w, record)}[{name!r}]"
        case Record(items, dtype):
            parts = "".join(f"{text_of(w, item)}, " for item in items)
            return f"record({w.constant(dtype)}, ({parts}))"
    raise TypeError(node)


def _cast(w: Writer, value: Expression, dtype: np.dtype) -> str:
    inner = text_of(w, value)
    if value.dtype == dtype:
        return inner
    if value.dtype.kind == "f" and dtype.kind in "iu":
        return f"to_integer({inner}, {w.constant(dtype)})"
    return f"{inner}.astype({w.constant(dtype)})"


def _binary(w: Writer, node: Binary) -> str:
    left, right = text_of(w, node.left), text_of(w, node.right)
    _work(w, node)
    if node.operator in _PLAIN:
        return f"({left} {node.operator} {right})"
    if node.operator == "/" and node.dtype.kind in "fc":
        return f"({left} / {right})"
    return f"{w.constant(OPERATORS[node.operator])}({left}, {right})"


def _call(w: Writer, node: Call) -> str:
    arguments = ", ".join(text_of(w, argument) for argument in node.arguments)
    _work(w, node)
    function = w.constant(_function(node))
    return f"{function}({arguments})"


def _function(node: Call) -> Callable[..., Any]:
    name = node.function
    found = FUNCTIONS.get(name)
    is_complex = any(argument.dtype.kind == "c" for argument in node.arguments)
    if found is None and is_complex and hasattr(np, name.removeprefix("numpy.")):
        found = getattr(np, name.removeprefix("numpy."))
    if found is None and name.startswith("numpy."):
        found = FUNCTIONS.get("math." + name.removeprefix("numpy.")) or getattr(
            np, name.removeprefix("numpy.")
        )
    if found is None:
        found = _conversion(node)
    dtype, item = node.dtype, node.item

    def function(*arguments: Any) -> Any:
        result = found(*arguments)
        result = result if item is None else result[item]
        return result if result.dtype == dtype else np.asarray(result).astype(dtype)[()]

    return function


def _conversion(node: Call) -> Callable[..., Any]:
    if len(node.arguments) == 2 and node.dtype.kind == "c":
        return lambda real, imag: (real + 1j * imag).astype(node.dtype)
    if node.dtype.kind in "iu" and node.arguments[0].dtype.kind == "f":
        return lambda value: to_integer(value, node.dtype)
    return lambda value: value.astype(node.dtype)


def _work(w: Writer, node: Binary | Call) -> None:
    amount, dtype = flop_of(node)
    if amount and w.region is not None and w.place is not None:
        w.region.add_flop(w.place, dtype, amount)
