"""Assignments and steps: ``a = b``, ``a += b``, ``i++``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpuedu.simt.cuda_c.access import read, write
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.copies import copy, has_array, source_of
from gpuedu.simt.cuda_c.dispatch import BUILDERS, OPERATORS, PLACES, VALUES, evaluate, place_of
from gpuedu.simt.cuda_c.initializers import initialized
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed, constant
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.objects import new_object
from gpuedu.simt.cuda_c.operators import binary, unary
from gpuedu.simt.cuda_c.places import Element, Local, Member, PlaceOf, Temporary
from gpuedu.simt.cuda_c.syntax import field, operator_of, text_of
from gpuedu.simt.cuda_c.types import INT
from gpuedu.simt.program import Cast, Expression


@PLACES.enter("assignment_expression")
def assignment(k: Lowerer, node: Node) -> PlaceOf:
    """``a = b``, ``a += b``; returns the place that was assigned."""
    operator = operator_of(node)
    left, right = field(node, "left"), field(node, "right")
    if operator != "=" and k.module.operators_are_own(operator):
        made = OPERATORS["compound"](k, node, operator, left, right)
        if made is not None:
            return made
    if operator == "=":
        if right.type == "initializer_list":
            place = place_of(k, left)
            if has_array(place.type):
                made = new_object(k, right, str(place.type), place.type)
                BUILDERS["fill"](k, right, made, right)
                copy(k, node, place, made)
                return place
            write(k, left, place, initialized(k, right, place.type))
            return place
        source = source_of(k, right)
        place = place_of(k, left)
        if not isinstance(source, Temporary):
            copy(k, node, place, source)
            return place
        value = source.typed
        write(k, left, place, value)
        return _afterwards(place, convert(k, right, value, place.type))
    given = evaluate(k, right)  # the right side comes first: ISO C++17, [expr.ass]
    place = held(k, place_of(k, left))
    old = read(k, left, place)
    value = binary(k, node, operator[:-1], old, given)
    write(k, left, place, value)
    return _afterwards(place, convert(k, node, value, place.type))


@VALUES.enter("assignment_expression")
def _assigned(k: Lowerer, node: Node) -> Typed:
    return read(k, node, assignment(k, node))


def _afterwards(place: PlaceOf, value: Typed) -> PlaceOf:
    """What an assignment stands for: memory need not be read again."""
    return place if isinstance(place, Local) else Temporary(value)


def held(k: Lowerer, place: PlaceOf) -> PlaceOf:
    """The place, with its index computed once."""
    match place:
        case Element(index=index):
            return replace(place, index=tuple(_kept(k, part) for part in index))
        case Member(base=base):
            return replace(place, base=held(k, base))
    return place


def _kept(k: Lowerer, index: Expression) -> Expression:
    """An index that is worked out once, and widened where it is used, if at all."""
    if isinstance(index, Cast) and np.dtype(index.dtype) == np.int64:
        return replace(index, value=k.builder.keep(index.value))
    return k.builder.keep(index)


def step(k: Lowerer, node: Node, argument: Node | None = None) -> tuple[PlaceOf, Typed]:
    """``i++`` and its kin: the place, and its value before."""
    argument = argument or field(node, "argument")
    place = held(k, place_of(k, argument))
    old = read(k, argument, place)
    old = Typed(old.type, k.builder.hold(old.value))
    operator = "+" if "++" in (text_of(child) for child in node.children) else "-"
    write(k, argument, place, binary(k, node, operator, old, constant(INT, 1)))
    return place, old


@PLACES.enter("update_expression")
def _stepped(k: Lowerer, node: Node) -> PlaceOf | None:
    """The place of ``++i``; the value of ``i++`` has none."""
    return step(k, node)[0] if text_of(node.children[0]) in ("++", "--") else None


@VALUES.enter("update_expression")
def update(k: Lowerer, node: Node) -> Typed:
    """``i++`` as a value: the old one; of ``++i`` the new one."""
    argument = field(node, "argument")
    if argument.type == "unary_expression":
        return _step_below(k, node, argument)
    place, old = step(k, node)
    is_prefix = text_of(node.children[0]) in ("++", "--")
    if not is_prefix:
        return old
    if isinstance(place, Local):
        return read(k, node, place)
    operator = "+" if text_of(node.children[0]) == "++" else "-"
    return convert(k, node, binary(k, node, operator, old, constant(INT, 1)), old.type)


def _step_below(k: Lowerer, node: Node, argument: Node) -> Typed:
    """``-i++``: the grammar binds the sign first, C the step."""
    inner = field(argument, "argument")
    if inner.type == "unary_expression":
        value = _step_below(k, node, inner)
    else:
        _, value = step(k, node, inner)
    return unary(k, argument, operator_of(argument), value)
