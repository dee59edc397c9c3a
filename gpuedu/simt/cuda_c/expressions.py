"""Expressions of CUDA C."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gpuedu.simt.cuda_c import methods, threads
from gpuedu.simt.cuda_c.access import read
from gpuedu.simt.cuda_c.conversions import common_type, convert, is_there, null_pointer, truth
from gpuedu.simt.cuda_c.dispatch import PLACES, VALUES, evaluate, place_of, unevaluated
from gpuedu.simt.cuda_c.literals import character, literal
from gpuedu.simt.cuda_c.lowerer import NOTHING, Fixed, Lowerer, Typed, constant
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.operators import binary, unary
from gpuedu.simt.cuda_c.places import PlaceOf, Temporary, defined_place, named_place
from gpuedu.simt.cuda_c.syntax import bare, field, operator_of, short, text_of
from gpuedu.simt.cuda_c.type_names import num_elements, static_constant
from gpuedu.simt.cuda_c.types import BOOLEAN, INT, Number, Pointer
from gpuedu.simt.cuda_c.views import address
from gpuedu.simt.kinds import convert as converted
from gpuedu.simt.program import Const, Expression, If, Select, Statement
from gpuedu.simt.values import Scalar, kind_of, leaves

_ZERO = re.compile(r"0[uUlL]*")
"""The numbers that are a null pointer beside a pointer."""


@VALUES.enter("number_literal")
def _number(k: Lowerer, node: Node) -> Typed:
    return literal(k, node)


@VALUES.enter("char_literal")
def _character(k: Lowerer, node: Node) -> Typed:
    return character(k, node)


@VALUES.enter("true", "false")
def _boolean(k: Lowerer, node: Node) -> Typed:
    return constant(BOOLEAN, node.type == "true")


@VALUES.enter("qualified_identifier")
def _qualified(k: Lowerer, node: Node) -> Typed:
    if (length := num_elements(k, node)) is not None:
        return constant(INT, length)
    if (static := static_constant(k, node)) is not None:
        return static
    if isinstance(k.find(text_of(node)), Fixed):
        return read(k, node, defined_place(k, node))
    if named_place(k, text_of(node).rpartition("::")[2]) is not None:
        return read(k, node, place_of(k, node))
    raise k.refuse(node, f"`{short(node)[:60]}` is not covered (qualified identifier)")


@VALUES.enter("type_identifier")
def _template_number(k: Lowerer, node: Node) -> Typed:
    """A template's argument that is a number."""
    return read(k, node, defined_place(k, node))


@PLACES.enter("unary_expression")
def _unary_place(k: Lowerer, node: Node) -> PlaceOf:
    """What an operator gives; one of the source may give an object in memory, or a reference."""
    sign, argument = operator_of(node), field(node, "argument")
    made = methods.operator(k, node, sign, argument, None)
    return Temporary(unary(k, node, sign, evaluate(k, argument))) if made is None else made


@VALUES.enter("unary_expression")
def _unary(k: Lowerer, node: Node) -> Typed:
    return read(k, node, _unary_place(k, node))


@VALUES.enter("pointer_expression")
def _address(k: Lowerer, node: Node) -> Typed:
    argument = field(node, "argument")
    return address(k, argument, place_of(k, argument))


@VALUES.enter("comma_expression")
def _comma(k: Lowerer, node: Node) -> Typed:
    evaluate(k, field(node, "left"))
    return evaluate(k, field(node, "right"))


@VALUES.enter("condition_clause")
def _condition(k: Lowerer, node: Node) -> Typed:
    return evaluate(k, field(node, "value"))


@VALUES.enter("null", "nullptr")
def _null(k: Lowerer, node: Node) -> Typed:
    raise null_pointer(k, node)


@VALUES.enter("string_literal", "concatenated_string")
def _text(k: Lowerer, node: Node) -> Typed:
    raise k.refuse(node, "a string can only be the format of `printf`")


@VALUES.enter("lambda_expression")
def _lambda(k: Lowerer, node: Node) -> Typed:
    raise k.refuse(node, "a lambda is not covered", "write a `__device__` function")


@VALUES.enter("identifier")
def _name(k: Lowerer, node: Node) -> Typed:
    name = text_of(node)
    special = threads.variable(name)
    if special is not None:
        return special
    if name in k.module.functions:
        raise k.refuse(node, f"`{name}` is a function: pointers to functions are not covered")
    raise k.refuse(node, f"the name `{name}` is not defined")


@VALUES.enter("field_expression")
def _builtin_member(k: Lowerer, node: Node) -> Typed:
    """``threadIdx.x`` and its kin; any other member has a place."""
    owner = text_of(field(node, "argument"))
    special = threads.member(owner, text_of(field(node, "field")))
    if special is None:
        raise k.refuse(node, f"the name `{owner}` is not defined")
    return special


@PLACES.enter("binary_expression")
def _binary_place(k: Lowerer, node: Node) -> PlaceOf:
    """What an operator gives; one of the source may give an object in memory, or a reference."""
    sign = operator_of(node)
    made = methods.operator(k, node, sign, field(node, "left"), field(node, "right"))
    return Temporary(_binary(k, node, sign)) if made is None else made


@VALUES.enter("binary_expression")
def _binary_value(k: Lowerer, node: Node) -> Typed:
    return read(k, node, _binary_place(k, node))


def _binary(k: Lowerer, node: Node, operator: str) -> Typed:
    if operator in ("&&", "||"):
        return _shortcut(k, node, operator)
    sides = [bare(field(node, side)) for side in ("left", "right")]
    if operator in ("==", "!=") and any(map(_is_null_pointer, sides)):
        return _against_null(k, node, operator, sides)
    left, right = (evaluate(k, side) for side in sides)
    for pointer, number in ((left, sides[1]), (right, sides[0])):
        is_zero = _ZERO.fullmatch(text_of(number)) is not None
        if operator in ("==", "!=") and isinstance(pointer.type, Pointer) and is_zero:
            return _is_null(k, node, operator, pointer)
    return binary(k, node, operator, left, right)


def _against_null(k: Lowerer, node: Node, operator: str, sides: list[Node]) -> Typed:
    """``p == nullptr``, ``p != NULL`` and ``p == (float*)0``."""
    pointer = evaluate(k, next((side for side in sides if not _is_null_pointer(side)), sides[0]))
    if not isinstance(pointer.type, Pointer):
        raise k.refuse(node, f"only pointers can be null, this is `{pointer.type}`")
    return _is_null(k, node, operator, pointer)


def _is_null_pointer(node: Node) -> bool:
    """True if an expression is a null pointer by itself; a plain 0 is one only beside a pointer."""
    if node.type == "cast_expression" and "*" in text_of(field(node, "type")):
        value = bare(field(node, "value"))
        return _is_null_pointer(value) or _ZERO.fullmatch(text_of(value)) is not None
    return node.type in ("null", "nullptr")


def _is_null(k: Lowerer, node: Node, operator: str, pointer: Typed) -> Typed:
    there = Typed(BOOLEAN, Scalar(is_there(k, pointer)))
    return there if operator == "!=" else unary(k, node, "!", there)


def _shortcut(k: Lowerer, node: Node, operator: str) -> Typed:
    """``&&`` and ``||``: only threads that need the right side run its accesses."""
    left, right = field(node, "left"), field(node, "right")
    condition = truth(k, left, evaluate(k, left))
    if isinstance(condition, Const):
        if bool(condition.value) == (operator == "&&"):
            return Typed(BOOLEAN, Scalar(truth(k, right, evaluate(k, right))))
        return Typed(BOOLEAN, Scalar(condition))
    condition = k.builder.keep(condition)

    def rest() -> Typed:
        return Typed(BOOLEAN, Scalar(truth(k, right, evaluate(k, right))))

    first = Typed(BOOLEAN, Scalar(condition))
    sides = (rest, lambda: first) if operator == "&&" else (lambda: first, rest)
    return either(k, node, condition, *sides)


@VALUES.enter("conditional_expression")
def conditional(k: Lowerer, node: Node) -> Typed:
    """``condition ? a : b``."""
    test = field(node, "condition")
    condition = truth(k, test, evaluate(k, test))
    then, orelse = field(node, "consequence"), field(node, "alternative")
    if isinstance(condition, Const):
        taken, other = (then, orelse) if condition.value else (orelse, then)
        type_ = unevaluated(k, other)
        value = evaluate(k, taken)
        return convert(k, taken, value, common_type(k, node, value.type, type_))
    return either(k, node, condition, lambda: evaluate(k, then), lambda: evaluate(k, orelse))


def either(
    k: Lowerer,
    node: Node,
    condition: Expression,
    then: Callable[[], Typed],
    orelse: Callable[[], Typed],
) -> Typed:
    """A value from one of two expressions; what only one side does is done only by its threads."""
    before = k.builder.names
    first_block: list[Statement] = []
    second_block: list[Statement] = []
    with k.builder.lowering(first_block):
        k.builder.names = None if before is None else dict(before)
        first, left = then(), k.builder.names
    with k.builder.lowering(second_block):
        k.builder.names = None if before is None else dict(before)
        second, right = orelse(), k.builder.names
    k.builder.names = before
    type_ = common_type(k, node, first.type, second.type)
    first, second = convert(k, node, first, type_), convert(k, node, second, type_)
    if not first_block and not second_block and isinstance(type_, Number):
        return Typed(
            type_, Scalar(Select(condition, first.expression, second.expression, type_.dtype))
        )
    if type_ == first.type and first.value is NOTHING:
        joins: list[Any] = []
        result = NOTHING
    else:
        kind = kind_of(first.value)
        result = k.builder.value_of(kind, "t")
        sides = (converted(first.value, kind), converted(second.value, kind))
        joins = list(zip(leaves(result), *sides, strict=True))
    statement = If(condition, first_block, second_block, None, joins)
    k.builder.emit(statement)
    if before is not None and left is not None and right is not None:
        k.builder.names = k.builder.joined(statement, left, right, before)
    return Typed(type_, result)
