"""Constants computed while a kernel is compiled, by the machine's own rules.

Sources: ISO C++17, [expr] and [conv]; PTX ISA, ``cvt`` (a float outside the integer's range becomes
the end of that range), ``shl`` and ``shr`` (a count is clamped to the width). Division by zero,
which C leaves open, gives what the GPU's division gives: all bits set, and the dividend as the
remainder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.simt.intrinsics.functions import FUNCTIONS
from gpuedu.simt.intrinsics.mathematics import OPERATORS
from gpuedu.simt.intrinsics.rounding import to_integer
from gpuedu.simt.program import BOOL, INT64, Binary, Call, Cast, Const, Expression, Unary

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
COMPARISONS = frozenset(_COMPARE)


def cast(expression: Expression, dtype: np.dtype) -> Expression:
    """An expression in another type; a constant is converted at once."""
    if expression.dtype == dtype:
        return expression
    if dtype == BOOL:
        zero = Const(expression.dtype.type(0))
        return folded(Binary("!=", expression, zero, BOOL))
    return folded(Cast(expression, dtype))


def folded(node: Expression) -> Expression:
    """The expression, computed now if it consists of constants."""
    match node:
        case Cast(Const(value), dtype):
            return Const(_converted(value, dtype))
        case Unary(operator, Const(value), dtype):
            return Const(_unary(operator, value, dtype))
        case Binary(operator, Const(left), Const(right), dtype):
            return Const(_binary(operator, left, right, dtype))
        case Call(function, (Const(left), Const(right)), dtype) if function.startswith("c."):
            return Const(np.asarray(FUNCTIONS[function](left, right)).astype(dtype)[()])
    return node


def _converted(value: np.generic, dtype: np.dtype) -> np.generic:
    with np.errstate(all="ignore"):
        if value.dtype.kind == "f" and dtype.kind in "iu":
            return np.asarray(to_integer(value, dtype))[()]
        return np.asarray(value).astype(dtype)[()]


def _unary(operator: str, value: np.generic, dtype: np.dtype) -> np.generic:
    with np.errstate(all="ignore"):
        functions = {"-": np.negative, "~": np.invert, "not": np.logical_not}
        return np.asarray(functions[operator](value)).astype(dtype)[()]


def _binary(operator: str, left: Any, right: Any, dtype: np.dtype) -> np.generic:
    function = _COMPARE.get(operator) or OPERATORS[operator]
    with np.errstate(all="ignore"):
        return np.asarray(function(left, right)).astype(dtype)[()]


def plus(left: Expression, right: Expression) -> Expression:
    """A sum of offsets; adding nothing costs nothing."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Const) and not one.value:
            return other
    return folded(Binary("+", left, right, INT64))


def divided(offset: Expression, by: int) -> Expression:
    """An offset in elements that are ``by`` times as large."""
    return offset if by == 1 else folded(Binary("//", offset, Const(np.int64(by)), INT64))
