"""Expressions of a Python kernel."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gpuedu.simt.host.buffers import DeviceView
from gpuedu.simt.host.names import dotted_name, dtype_of
from gpuedu.simt.program import (
    BOOL,
    ArrayType,
    Binary,
    Cast,
    Const,
    ConstantArray,
    Expression,
    Extent,
    Stride,
    Unary,
)
from gpuedu.simt.python import arrays, calls, threads, views
from gpuedu.simt.python.literals import folded
from gpuedu.simt.python.lowerer import BitCount, Conjugate, Lowerer, cast, member_value, shape_of
from gpuedu.simt.python.variables import read_name
from gpuedu.simt.typing_rules import binary, unary
from gpuedu.simt.values import Array, Optional, Scalar, Static, Tuple, Value, kind_of
from gpuedu.trace import Space

OPERATORS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Invert: "~",
    ast.Not: "not",
}


def evaluate(k: Lowerer, node: ast.expr) -> Value:
    """The value of an expression."""
    match node:
        case ast.Constant(value=value):
            return constant(k, node, value)
        case ast.Name(id=name):
            return read_name(k, node, name)
        case ast.BinOp() | ast.UnaryOp() if (literal := folded(node)) is not None:
            return constant(k, node, literal.value)
        case ast.BinOp(left=left, op=op, right=right):
            return operate(
                k, node, OPERATORS.get(type(op), "@"), evaluate(k, left), evaluate(k, right)
            )
        case ast.UnaryOp(op=op, operand=operand):
            return _unary(k, node, OPERATORS[type(op)], evaluate(k, operand))
        case ast.BoolOp():
            return _boolean(k, node, node.values)
        case ast.Compare():
            return _compare(k, node)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition = k.truth(test, evaluate(k, test))
            if isinstance(condition, Const):
                return evaluate(k, body if condition.value else orelse)
            return k.either(node, condition, lambda: evaluate(k, body), lambda: evaluate(k, orelse))
        case ast.Tuple(elts=items):
            return Tuple(tuple(evaluate(k, item) for item in items))
        case ast.Attribute():
            return _attribute(k, node)
        case ast.Subscript():
            return arrays.read(k, node)
        case ast.Call():
            return calls.call(k, node)
    raise k.refuse(node, f"`{k.function.text(node)}` cannot be used in a kernel")


def constant(k: Lowerer, node: ast.AST, value: Any) -> Value:
    """The value of a Python object that is known when the kernel is compiled."""
    match value:
        case bool():
            return Scalar(Const(np.bool_(value)), literal=int(value))
        case int():
            if -(1 << 63) <= value < 1 << 63:
                return Scalar(Const(np.int64(value)), literal=value)
            if 0 <= value < 1 << 64:
                return Scalar(Const(np.uint64(value)), literal=value)
            raise k.refuse(node, f"{value} does not fit into 64 bits")
        case np.generic() if value.dtype.kind in "biufc":
            return Scalar(Const(value))
        case float():
            return Scalar(Const(np.float64(value)))
        case complex():
            return Scalar(Const(np.complex128(value)))
        case _ if isinstance(
            vars(value).get("device_view") if hasattr(value, "__dict__") else None, DeviceView
        ):
            return _captured(k, node, value.device_view)
        case tuple():
            fields = tuple(getattr(value, "_fields", ()))
            return Tuple(tuple(constant(k, node, item) for item in value), fields)
        case np.ndarray():
            return _constant_array(k, node, value)
        case list():
            raise k.refuse(
                node,
                "a list from outside cannot be used in a kernel",
                "make it a tuple, or pass an array as an argument",
            )
    return Static(value)


def constant_array(k: Lowerer, data: np.ndarray, name: str) -> Array:
    """An array frozen into the program."""
    type_ = ArrayType(data.dtype, data.ndim, Space.CONSTANT, readonly=True)
    slot = k.builder.array_slot(name, type_)
    k.tables.add("constants", ConstantArray(slot, np.array(data)))
    return Array(slot)


def _constant_array(k: Lowerer, node: ast.AST, data: np.ndarray) -> Array:
    return constant_array(k, data, getattr(node, "id", "constant"))


def _captured(k: Lowerer, node: ast.AST, view: DeviceView) -> Array:
    """A device array from outside the kernel: the memory itself, not a copy."""
    name = getattr(node, "id", "captured")
    slot = k.builder.array_slot(name, ArrayType(view.dtype, len(view.shape), Space.GLOBAL))
    k.tables.add("constants", ConstantArray(slot, view))
    return Array(slot)


# Operators


def operate(k: Lowerer, node: ast.AST, operator: str, left: Value, right: Value) -> Value:
    """A binary operator or a comparison."""
    if isinstance(left, Tuple) and isinstance(right, Tuple):
        return _tuples(k, node, operator, left, right)
    if isinstance(left, Scalar) != isinstance(right, Scalar):
        left, right = _with_member(left, right), _with_member(right, left)
    if isinstance(left, Static) or isinstance(right, Static):
        return _statics(k, node, operator, left, right)
    first, second = k.scalar(node, left), k.scalar(node, right)
    literals = {"left_literal": first.literal, "right_literal": second.literal}
    signature = k.at(node, binary, operator, first.dtype, second.dtype, **literals)
    operands = [
        cast(side.expression, dtype)
        for side, dtype in zip((first, second), signature.operands, strict=True)
    ]
    return Scalar(Binary(operator, *operands, signature.result))


def _tuples(k: Lowerer, node: ast.AST, operator: str, left: Tuple, right: Tuple) -> Value:
    if operator == "+":
        return Tuple(left.items + right.items)
    if operator not in ("==", "!="):
        raise k.refuse(node, f"tuples have no `{operator}` in a kernel")
    result: Value = Scalar(Const(np.bool_(len(left.items) == len(right.items))))
    for one, other in zip(left.items, right.items, strict=False):
        same = k.truth(node, operate(k, node, "==", one, other))
        result = Scalar(Binary("&", k.truth(node, result), same, BOOL))
    return _unary(k, node, "not", result) if operator == "!=" else result


def _statics(k: Lowerer, node: ast.AST, operator: str, left: Value, right: Value) -> Value:
    if operator in ("is", "is not", "==", "!="):
        optional, other = (left, right) if isinstance(left, Optional) else (right, left)
        if isinstance(optional, Optional) and isinstance(other, Static) and other.object is None:
            there = optional.there
            return there if operator in ("is not", "!=") else _unary(k, node, "not", there)
        both = isinstance(left, Static) and isinstance(right, Static)
        same = both and (left.object is right.object or left.object == right.object)
        return constant(k, node, bool(same) == (operator in ("is", "==")))
    raise k.refuse(node, f"`{operator}` needs numbers on both sides")


def _unary(k: Lowerer, node: ast.AST, operator: str, value: Value) -> Value:
    if operator == "not":
        truth = k.truth(node, value)
        if isinstance(truth, Const):
            return Scalar(Const(np.bool_(not truth.value)))
        return Scalar(Unary("not", truth, BOOL))
    scalar = k.scalar(node, value)
    if scalar.literal is not None and operator == "-":
        return constant(k, node, -scalar.literal)
    signature = k.at(node, unary, operator, scalar.dtype)
    # Numba works in the operand's own width and widens after; a bool has no width to work in.
    own = signature.result if signature.operands[0] == BOOL else signature.operands[0]
    operand = cast(scalar.expression, own)
    if operator == "+":
        return Scalar(cast(operand, signature.result))
    return Scalar(cast(Unary(operator, operand, own), signature.result))


def _boolean(k: Lowerer, node: ast.BoolOp, values: list[ast.expr]) -> Value:
    first = evaluate(k, values[0])
    if len(values) == 1:
        return first
    condition = k.truth(values[0], first)
    is_and = isinstance(node.op, ast.And)
    if isinstance(condition, Const):
        goes_on = bool(condition.value) == is_and
        return _boolean(k, node, values[1:]) if goes_on else first
    condition = k.builder.keep(condition)

    def rest() -> Value:
        value = _boolean(k, node, values[1:])
        return value if isinstance(value, Scalar) else Scalar(k.truth(node, value))

    if isinstance(first, Scalar) and first.dtype == BOOL:
        first = Scalar(condition)
    if is_and:
        return k.either(node, condition, rest, lambda: first)
    return k.either(node, condition, lambda: first, rest)


def _compare(k: Lowerer, node: ast.Compare) -> Value:
    """A chain of comparisons: each part is only worked out where those before it hold."""
    return _chain(k, node, evaluate(k, node.left), 0)


def _chain(k: Lowerer, node: ast.Compare, left: Value, number: int) -> Value:
    right = evaluate(k, node.comparators[number])
    if number == len(node.ops) - 1:
        return _relation(k, node, node.ops[number], left, right)
    right = k.builder.hold(right)
    first = _relation(k, node, node.ops[number], left, right)
    condition = k.truth(node, first)
    if isinstance(condition, Const):
        return _chain(k, node, right, number + 1) if condition.value else first
    condition = k.builder.keep(condition)
    return k.either(
        node,
        condition,
        lambda: Scalar(k.truth(node, _chain(k, node, right, number + 1))),
        lambda: Scalar(condition),
    )


def _relation(k: Lowerer, node: ast.AST, op: ast.cmpop, left: Value, right: Value) -> Value:
    if isinstance(op, ast.Is | ast.IsNot):
        return _identity(k, node, "is" if isinstance(op, ast.Is) else "is not", left, right)
    if isinstance(op, ast.In | ast.NotIn):
        if not isinstance(right, Tuple):
            raise k.refuse(node, "`in` needs a tuple on its right in a kernel")
        found: Expression = Const(np.bool_(False))
        for item in right.items:
            found = Binary("|", found, k.truth(node, operate(k, node, "==", left, item)), BOOL)
        value = Scalar(found)
        return value if isinstance(op, ast.In) else _unary(k, node, "not", value)
    return operate(k, node, OPERATORS[type(op)], left, right)


def _with_member(value: Value, other: Value) -> Value:
    """A member that is compared to a member known at run time, which is a number then."""
    is_open = isinstance(other, Scalar) and other.literal is None
    return member_value(value) if is_open else value


def _identity(k: Lowerer, node: ast.AST, operator: str, left: Value, right: Value) -> Value:
    """``is``: as in Numba, ``==`` of values of one type, and never of two types."""
    left, right = _with_member(left, right), _with_member(right, left)
    if isinstance(left, Static) or isinstance(right, Static):
        return _statics(k, node, operator, left, right)
    if kind_of(left) != kind_of(right):
        return constant(k, node, operator == "is not")
    if not isinstance(left, Array):
        return operate(k, node, "==" if operator == "is" else "!=", left, right)
    if left is right:
        return constant(k, node, operator == "is")
    raise k.refuse(node, f"`{operator}` cannot compare two arrays here", "compare their elements")


# Attributes


def _attribute(k: Lowerer, node: ast.Attribute) -> Value:
    owner = evaluate(k, node.value)
    match owner:
        case Static(thing):
            return _static_attribute(k, node, thing)
        case Array():
            return _array_attribute(k, node, owner)
        case Tuple(items, names) if node.attr in names:
            return items[names.index(node.attr)]
        case Scalar() if node.attr == "bit_count" and owner.dtype.kind in "iu":
            return Static(BitCount(owner))
        case Scalar() if node.attr == "conjugate" and owner.dtype.kind in "iufc":
            return Static(Conjugate(owner))
        case Scalar() if node.attr in ("real", "imag"):
            return _part(owner, node.attr)
    raise k.refuse(node, f"`.{node.attr}` cannot be used here")


def _part(value: Scalar, attr: str) -> Scalar:
    if value.dtype.kind != "c":
        zero = Const(value.dtype.type(0))
        return value if attr == "real" else Scalar(zero)
    part = np.dtype(f"f{value.dtype.itemsize // 2}")
    return Scalar(Unary(attr, value.expression, part))


def _static_attribute(k: Lowerer, node: ast.Attribute, thing: Any) -> Value:
    name = dotted_name(thing)
    special = threads.special(f"{name}.{node.attr}") if name else None
    if special is not None:
        return special
    try:
        found = getattr(thing, node.attr)
    except AttributeError:
        where = name or getattr(thing, "__name__", repr(thing))
        raise k.refuse(node, f"`{where}` has no `{node.attr}`") from None
    special = threads.special(dotted_name(found) or "")
    return special if special is not None else constant(k, node, found)


def _array_attribute(k: Lowerer, node: ast.Attribute, owner: Array) -> Value:
    slot, attr = owner.slot, node.attr
    if slot.type.dtype.names and attr in slot.type.dtype.names:
        return views.field(k, node, owner, attr)
    match attr:
        case "shape":
            return shape_of(slot)
        case "strides":
            return Tuple(tuple(Scalar(Stride(slot, axis)) for axis in range(slot.type.ndim)))
        case "size":
            return Scalar(Extent(slot, -1))
        case "ndim":
            return constant(k, node, slot.type.ndim)
        case "itemsize":
            return constant(k, node, slot.type.dtype.itemsize)
        case "nbytes":
            size = Const(np.int64(slot.type.dtype.itemsize))
            return Scalar(Binary("*", Extent(slot, -1), size, np.dtype(np.int64)))
        case "dtype":
            return Static(slot.type.dtype.type)
        case "T":
            return views.transpose(k, owner)
        case "flat":
            return Static(views.Flat(owner))
    if attr in ("real", "imag") and slot.type.dtype.kind == "c":
        return views.complex_part(k, owner, attr)
    if attr in views.METHODS:
        return Static(views.Method(owner, attr))
    raise k.refuse(node, f"arrays have no `.{attr}` in a kernel")


def convert(k: Lowerer, node: ast.AST, thing: Any, value: Value) -> Scalar:
    """``float32(x)`` and the like."""
    dtype = dtype_of(thing)
    if dtype is None:
        raise k.refuse(node, f"{thing!r} is no number type")
    return Scalar(Cast(k.scalar(node, value).expression, dtype))
