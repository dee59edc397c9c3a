"""Variables in registers: their values, and whether they have been set."""

from __future__ import annotations

import re

import numpy as np

from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed, Variable
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.types import CType, Number, Pointer, Struct, dimensions, dtype_of
from gpuedu.simt.program import BOOL, ArraySlot, ArrayType, Const, If, Statement, Unary, Undefined
from gpuedu.simt.values import Array, Scalar, Tuple, Value, kind_of, leaves
from gpuedu.trace import Space

_NUMBER_OF_KEY = re.compile(r"__\d+$")
"""What ``Lowerer.new_key`` puts behind a name that was there before."""


def source_name(key: str) -> str:
    """The name in the source for a key of the builder.

    >>> source_name("total__2"), source_name("my__own")
    ('total', 'my__own')
    """
    return _NUMBER_OF_KEY.sub("", key)


def flag_of(variable: Variable) -> str:
    """The builder's name for a variable's flag; the variable is set where it holds."""
    return f"$set:{variable.key}"


def read_variable(k: Lowerer, node: Node, variable: Variable) -> Typed:
    """A variable's value; where it was not set, garbage, which the machine reports."""
    names = k.builder.names
    if names is None:  # no thread gets here
        return Typed(variable.type, zero(k, variable.type))
    value, flag = names[variable.key], names.get(flag_of(variable))
    if not isinstance(flag, Scalar) or (
        isinstance(flag.expression, Const) and flag.expression.value
    ):
        return Typed(variable.type, value)
    made = k.builder.value_of(kind_of(value), variable.key)
    shown = source_name(variable.key)
    missing: list[Statement] = []
    joins = []
    for slot, part in zip(leaves(made), leaves(value), strict=True):
        if isinstance(part, ArraySlot):
            missing.append(Undefined(shown, None, k.place(node)))
            joins.append((slot, part, part))
            continue
        garbage = k.builder.slot(variable.key, part.dtype)
        missing.append(Undefined(shown, garbage, k.place(node)))
        joins.append((slot, garbage, part))
    k.builder.emit(If(Unary("not", flag.expression, BOOL), missing, [], None, joins))
    return Typed(variable.type, made)


def as_it_is(k: Lowerer, variable: Variable) -> Typed:
    """A variable's value where nothing depends on whether it was set."""
    names = k.builder.names
    value = zero(k, variable.type) if names is None else names[variable.key]
    return Typed(variable.type, value)


def zero(k: Lowerer, type_: CType) -> Value:
    """Zeros of a type, for a variable that has no value yet."""
    match type_:
        case Number(dtype):
            return Scalar(Const(dtype.type(0)))
        case Struct(fields=fields):
            items = tuple(zero(k, inner) for _, inner in fields)
            return Tuple(items, tuple(name for name, _ in fields))
        case Pointer(target):
            inner, _ = dimensions(target)
            nowhere = k.builder.array_slot("nothing", ArrayType(dtype_of(inner), 1, Space.GLOBAL))
            return Tuple((Array(nowhere), Scalar(Const(np.int64(0)))), ("array", "offset"))
    raise TypeError(type_)
