"""Casts, ``T{...}`` and ``sizeof``: where the grammar takes names for types."""

from __future__ import annotations

import re

from gpuedu.simt.cuda_c.access import read
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.dispatch import VALUES, evaluate, place_of, unevaluated
from gpuedu.simt.cuda_c.initializers import initialized
from gpuedu.simt.cuda_c.lowerer import NOTHING, Lowerer, Typed, constant
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.operators import binary
from gpuedu.simt.cuda_c.places import defined_place
from gpuedu.simt.cuda_c.syntax import bare, field, operator_of, parts, short, text_of
from gpuedu.simt.cuda_c.type_names import type_named, type_of
from gpuedu.simt.cuda_c.types import UNSIGNED_LONG, VOID, alignment_of, size_of


@VALUES.enter("cast_expression")
def explicit_cast(k: Lowerer, node: Node) -> Typed:
    """``(T)x``."""
    type_node, value = field(node, "type"), field(node, "value")
    name = short(type_node)
    if type_node.type == "type_descriptor" and re.fullmatch(r"\w+", name):
        is_type = type_named(k, name) is not None or any(
            part.type != "type_identifier" for part in parts(type_node)
        )
        if not is_type:
            return _misread(k, node, type_node, value)
    given, type_ = evaluate(k, value), type_of(k, type_node)
    return Typed(type_, NOTHING) if type_ == VOID else convert(k, node, given, type_)


def _misread(k: Lowerer, node: Node, name: Node, value: Node) -> Typed:
    """``(n) * x`` and ``(n) - x``, which the grammar takes for a cast."""
    inner = parts(name)[0]
    left = read(k, inner, defined_place(k, inner))
    if value.type in ("pointer_expression", "unary_expression"):
        right = evaluate(k, field(value, "argument"))
        return binary(k, node, operator_of(value), left, right)
    raise k.refuse(node, f"the type `{short(name)}` is not defined")


@VALUES.enter("sizeof_expression")
def sizeof(k: Lowerer, node: Node) -> Typed:
    """``sizeof`` of a type, or of an expression, which no thread runs."""
    named = node.child_by_field_name("type")
    if named is not None:
        single = short(named)
        if re.fullmatch(r"\w+", single) and type_named(k, single) is None and k.find(single):
            return constant(UNSIGNED_LONG, size_of(defined_place(k, parts(named)[0]).type))
        return constant(UNSIGNED_LONG, size_of(type_of(k, named)))
    value = bare(field(node, "value"))
    named_type = type_named(k, text_of(value)) if value.type == "identifier" else None
    if named_type is not None:
        return constant(UNSIGNED_LONG, size_of(named_type))
    return constant(UNSIGNED_LONG, size_of(unevaluated(k, value, place_of)))


@VALUES.enter("alignof_expression")
def alignof(k: Lowerer, node: Node) -> Typed:
    """``alignof(T)``."""
    return constant(UNSIGNED_LONG, alignment_of(type_of(k, field(node, "type"))))


@VALUES.enter("compound_literal_expression")
def _compound_literal(k: Lowerer, node: Node) -> Typed:
    """``T{...}``."""
    return initialized(k, field(node, "value"), type_of(k, field(node, "type")))
