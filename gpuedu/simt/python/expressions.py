"""Expressions of a Python kernel: names, constants, operators, conditions, tuples."""

from __future__ import annotations

import ast

from gpuedu.simt.program import BOOL, Const
from gpuedu.simt.python.constants import constant
from gpuedu.simt.python.dispatch import EXPRESSIONS, evaluate
from gpuedu.simt.python.literals import folded
from gpuedu.simt.python.lowerer import Lowerer
from gpuedu.simt.python.operators import OPERATORS, operate, operate_on_one, relation
from gpuedu.simt.python.variables import read_name
from gpuedu.simt.values import Scalar, Tuple, Value


@EXPRESSIONS.enter(ast.Constant)
def _constant(k: Lowerer, node: ast.Constant) -> Value:
    return constant(k, node, node.value)


@EXPRESSIONS.enter(ast.Name)
def _name(k: Lowerer, node: ast.Name) -> Value:
    return read_name(k, node, node.id)


@EXPRESSIONS.enter(ast.BinOp)
def _of_two(k: Lowerer, node: ast.BinOp) -> Value:
    literal = folded(node)
    if literal is not None:
        return constant(k, node, literal.value)
    operator = OPERATORS.get(type(node.op), "@")
    return operate(k, node, operator, evaluate(k, node.left), evaluate(k, node.right))


@EXPRESSIONS.enter(ast.UnaryOp)
def _of_one(k: Lowerer, node: ast.UnaryOp) -> Value:
    literal = folded(node)
    if literal is not None:
        return constant(k, node, literal.value)
    return operate_on_one(k, node, OPERATORS[type(node.op)], evaluate(k, node.operand))


@EXPRESSIONS.enter(ast.IfExp)
def _conditional(k: Lowerer, node: ast.IfExp) -> Value:
    condition = k.truth(node.test, evaluate(k, node.test))
    if isinstance(condition, Const):
        return evaluate(k, node.body if condition.value else node.orelse)
    return k.either(
        node, condition, lambda: evaluate(k, node.body), lambda: evaluate(k, node.orelse)
    )


@EXPRESSIONS.enter(ast.Tuple)
def _tuple(k: Lowerer, node: ast.Tuple) -> Value:
    return Tuple(tuple(evaluate(k, item) for item in node.elts))


@EXPRESSIONS.enter(ast.BoolOp)
def _boolean(k: Lowerer, node: ast.BoolOp) -> Value:
    return _shortcut(k, node, node.values)


def _shortcut(k: Lowerer, node: ast.BoolOp, values: list[ast.expr]) -> Value:
    first = evaluate(k, values[0])
    if len(values) == 1:
        return first
    condition = k.truth(values[0], first)
    is_and = isinstance(node.op, ast.And)
    if isinstance(condition, Const):
        goes_on = bool(condition.value) == is_and
        return _shortcut(k, node, values[1:]) if goes_on else first
    condition = k.builder.keep(condition)

    def rest() -> Value:
        value = _shortcut(k, node, values[1:])
        return value if isinstance(value, Scalar) else Scalar(k.truth(node, value))

    if isinstance(first, Scalar) and first.dtype == BOOL:
        first = Scalar(condition)
    if is_and:
        return k.either(node, condition, rest, lambda: first)
    return k.either(node, condition, lambda: first, rest)


@EXPRESSIONS.enter(ast.Compare)
def _compare(k: Lowerer, node: ast.Compare) -> Value:
    """A chain of comparisons: each part is only worked out where those before it hold."""
    return _chain(k, node, evaluate(k, node.left), 0)


def _chain(k: Lowerer, node: ast.Compare, left: Value, number: int) -> Value:
    right = evaluate(k, node.comparators[number])
    if number == len(node.ops) - 1:
        return relation(k, node, node.ops[number], left, right)
    right = k.builder.hold(right)
    first = relation(k, node, node.ops[number], left, right)
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
