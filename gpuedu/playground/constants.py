"""Constants of a text, worked out from its syntax tree: none of it is executed as Python.

It covers what is found above kernels: numbers, arithmetic on them, tuples, ``math``, dtypes and
small arrays. It always ends soon, whatever was typed.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

MOST_BITS = 4096
MOST_ELEMENTS = 1 << 22


class NotConstantError(Exception):
    """An expression that is not a constant; its text says why."""


@dataclass(frozen=True)
class Unknown:
    """A name of the text whose value is not known, and why."""

    name: str
    line: int
    reason: str


_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.Pow: operator.pow, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
_UNARY: dict[type, Callable[[Any], Any]] = {
    ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Invert: operator.invert,
    ast.Not: operator.not_,
}  # fmt: skip
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_PLAIN = {
    "abs": abs, "bool": bool, "complex": complex, "float": float, "int": int, "len": len,
    "max": max, "min": min, "round": round, "sum": sum, "tuple": tuple,
    "True": True, "False": False, "None": None,
}  # fmt: skip
_PLAIN_FUNCTIONS = [value for value in _PLAIN.values() if callable(value)]
_ARRAY_MAKERS = ("arange", "array", "asarray", "full", "linspace", "ones", "zeros")
_ARRAY_FACTS = ("dtype", "itemsize", "ndim", "shape", "size", "T")


def evaluate(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """The value of an expression.

    Args:
        node: The expression.
        names: What its names stand for.

    Raises:
        NotConstantError: It is not a constant, or is too large.

    >>> evaluate(ast.parse("(N + 255) // 256", mode="eval").body, {"N": 1000})
    4
    """
    try:
        with np.errstate(all="ignore"):
            return _value(node, names)
    except NotConstantError:
        raise
    except RecursionError:
        raise NotConstantError("it is nested too deeply") from None
    except Exception as fault:
        raise NotConstantError(str(fault) or type(fault).__name__) from None


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return _named(name, names)
        case ast.Tuple(elts=parts):
            return tuple(_value(part, names) for part in parts)
        case ast.List(elts=parts):
            return [_value(part, names) for part in parts]
        case ast.UnaryOp(op=op, operand=operand):
            return _UNARY[type(op)](_value(operand, names))
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(op, _value(left, names), _value(right, names))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            return _COMPARE[type(op)](_value(left, names), _value(right, names))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _value(body if _value(test, names) else orelse, names)
        case ast.Attribute(value=owner, attr=name):
            return _member(_value(owner, names), name)
        case ast.Subscript(value=owner, slice=index):
            return _value(owner, names)[_value(index, names)]
        case ast.Call():
            return _call(node, names)
    raise NotConstantError(f"`{ast.unparse(node)}` is not worked out here")


def _named(name: str, names: Mapping[str, Any]) -> Any:
    if isinstance(names.get(name), Unknown):
        raise NotConstantError(f"the value of `{name}` is not known")
    if name in names:
        return names[name]
    if name in _PLAIN:
        return _PLAIN[name]
    raise NotConstantError(f"`{name}` is not defined")


def _binary(op: ast.operator, left: Any, right: Any) -> Any:
    if type(op) not in _BINARY:
        raise NotConstantError("that operator is not worked out here")
    if isinstance(op, ast.Pow | ast.LShift) and isinstance(left, int) and isinstance(right, int):
        bits = right * left.bit_length() if isinstance(op, ast.Pow) else right
        if bits > MOST_BITS:
            raise NotConstantError("the number is too large")
    if isinstance(op, ast.Mult):
        for sequence, times in ((left, right), (right, left)):
            if isinstance(sequence, list | tuple | str) and len(sequence) * int(times) > 1 << 16:
                raise NotConstantError("the sequence is too long")
    return _BINARY[type(op)](left, right)


def _member(owner: Any, name: str) -> Any:
    """An attribute of a module or an array; nothing that leads out of them."""
    is_known = isinstance(owner, np.ndarray | np.dtype) and name in _ARRAY_FACTS
    if name.startswith("_") or not (isinstance(owner, ModuleType) or is_known):
        raise NotConstantError(f"`.{name}` is not worked out here")
    found = getattr(owner, name, None)
    if found is None or (isinstance(found, ModuleType) and found.__name__.startswith("numpy")):
        raise NotConstantError(f"`{owner.__name__}` has no `{name}` here")
    return found


def _call(node: ast.Call, names: Mapping[str, Any]) -> Any:
    function = _value(node.func, names)
    arguments = [_value(argument, names) for argument in node.args]
    options = {word.arg: _value(word.value, names) for word in node.keywords if word.arg}
    is_type = isinstance(function, type) and issubclass(function, np.generic)
    is_plain = any(function is known for known in _PLAIN_FUNCTIONS)
    if _is_heavy(function, arguments):
        raise NotConstantError("the number is too large")
    if is_type or is_plain or getattr(function, "__module__", "") == "math":
        return function(*arguments, **options)
    maker = next((name for name in _ARRAY_MAKERS if function is getattr(np, name)), None)
    if maker is None:
        raise NotConstantError(f"`{ast.unparse(node.func)}(...)` is not called here")
    if _elements(maker, arguments, options) > MOST_ELEMENTS:
        raise NotConstantError(f"it has more than {MOST_ELEMENTS:,} elements")
    return function(*arguments, **options)


def _is_heavy(function: Any, arguments: list[Any]) -> bool:
    """Whether a function of ``math`` on whole numbers would take for ever."""
    heavy = (math.factorial, math.comb, math.perm, math.prod, math.lcm)
    return any(function is one for one in heavy) and any(
        isinstance(a, int) and abs(a) > MOST_BITS for a in arguments
    )


def _elements(maker: str, arguments: list[Any], options: dict[str, Any]) -> float:
    """How many elements an array will have, at most."""
    if maker == "arange":
        bounds = [float(a) for a in arguments if isinstance(a, int | float | np.number)]
        step = abs(bounds[2]) if len(bounds) > 2 else 1.0
        span = abs(bounds[1] - bounds[0]) if len(bounds) > 1 else abs(bounds[0])
        return span / step if step else math.inf
    if maker == "linspace":
        return float(arguments[2] if len(arguments) > 2 else options.get("num", 50))
    if maker in ("array", "asarray"):
        return 0
    shape = arguments[0] if arguments else options.get("shape", 0)
    return math.prod(float(n) for n in np.atleast_1d(shape))
