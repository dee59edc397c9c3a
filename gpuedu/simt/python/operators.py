"""Operators of a Python kernel: arithmetic, comparisons, ``is`` and ``in``."""

from __future__ import annotations

import ast

import numpy as np

from gpuedu.simt.program import BOOL, Binary, Const, Expression, Unary
from gpuedu.simt.python.constants import constant
from gpuedu.simt.python.lowerer import Lowerer, cast, member_value
from gpuedu.simt.typing_rules import binary, unary
from gpuedu.simt.values import Array, Optional, Scalar, Static, Tuple, Value, kind_of

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
    return operate_on_one(k, node, "not", result) if operator == "!=" else result


def _statics(k: Lowerer, node: ast.AST, operator: str, left: Value, right: Value) -> Value:
    if operator in ("is", "is not", "==", "!="):
        optional, other = (left, right) if isinstance(left, Optional) else (right, left)
        if isinstance(optional, Optional) and isinstance(other, Static) and other.object is None:
            there = optional.there
            return there if operator in ("is not", "!=") else operate_on_one(k, node, "not", there)
        both = isinstance(left, Static) and isinstance(right, Static)
        same = both and (left.object is right.object or left.object == right.object)
        return constant(k, node, bool(same) == (operator in ("is", "==")))
    raise k.refuse(node, f"`{operator}` needs numbers on both sides")


def operate_on_one(k: Lowerer, node: ast.AST, operator: str, value: Value) -> Value:
    """An operator of one operand."""
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


def relation(k: Lowerer, node: ast.AST, op: ast.cmpop, left: Value, right: Value) -> Value:
    """One comparison of a chain, ``is`` and ``in`` among them."""
    if isinstance(op, ast.Is | ast.IsNot):
        return _identity(k, node, "is" if isinstance(op, ast.Is) else "is not", left, right)
    if isinstance(op, ast.In | ast.NotIn):
        if not isinstance(right, Tuple):
            raise k.refuse(node, "`in` needs a tuple on its right in a kernel")
        found: Expression = Const(np.bool_(False))
        for item in right.items:
            found = Binary("|", found, k.truth(node, operate(k, node, "==", left, item)), BOOL)
        value = Scalar(found)
        return value if isinstance(op, ast.In) else operate_on_one(k, node, "not", value)
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
