"""Structures with arrays in them, such as fragments: copied member by member, as in ``x = y``."""

from __future__ import annotations

import numpy as np

from gpuedu.simt.cuda_c.access import read, write
from gpuedu.simt.cuda_c.dispatch import BUILDERS, PLACE_KINDS, evaluate, place_of
from gpuedu.simt.cuda_c.folding import plus
from gpuedu.simt.cuda_c.lowerer import Lowerer
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.places import Element, Member, PlaceOf, Row, Temporary
from gpuedu.simt.cuda_c.syntax import bare, operator_of, short
from gpuedu.simt.cuda_c.types import (
    UNSIGNED,
    VECTORS,
    ArrayOf,
    CType,
    Struct,
    alignment_of,
    dimensions,
    size_of,
)
from gpuedu.simt.cuda_c.views import array_member
from gpuedu.simt.program import Const
from gpuedu.trace import Space

_OBJECT_KINDS = frozenset(
    {
        "assignment_expression",
        "binary_expression",
        "call_expression",
        "compound_literal_expression",
        "unary_expression",
    }
)
"""Expressions that may give an object with an array in it, or a reference to one."""
WORDS = {4: UNSIGNED, 8: VECTORS["uint2"], 16: VECTORS["uint4"]}
"""What a copy moves at once, by the structure's alignment."""


def has_array(type_: CType) -> bool:
    """True if a type is a structure with an array in it, which is kept in memory."""
    return isinstance(type_, Struct) and any(
        isinstance(inner, ArrayOf) or has_array(inner) for _, inner in type_.fields
    )


def source_of(k: Lowerer, node: Node) -> PlaceOf:
    """What an expression gives: the place of a structure with an array in it, else the value."""
    node = bare(node)
    is_address = node.type == "pointer_expression" and operator_of(node) == "&"
    if is_address or node.type not in PLACE_KINDS | _OBJECT_KINDS:
        return Temporary(evaluate(k, node))
    place = place_of(k, node)
    return place if has_array(place.type) else Temporary(read(k, node, place))


def copy(k: Lowerer, node: Node, target: PlaceOf, source: PlaceOf) -> None:
    """Set a structure with an array in it to another, element by element.

    Outside a thread's own memory, in words as wide as the structure's alignment allows.
    """
    assert isinstance(source.type, Struct)
    if target.type != source.type:
        raise k.refuse(
            node, f"`{short(node)}`: a `{source.type}` cannot become a `{target.type}` here"
        )
    if any(_is_outside(place) for place in (target, source)) and word_of(source.type) is not None:
        BUILDERS["words"](k, node, target, source)
        return
    for name, inner in source.type.fields:
        to, from_ = (member_of(k, place, name, inner) for place in (target, source))
        if has_array(inner):
            copy(k, node, to, from_)
        elif isinstance(inner, ArrayOf):
            _copy_elements(k, node, to, from_)
        else:
            write(k, node, to, read(k, node, from_))


def _is_outside(place: PlaceOf) -> bool:
    while isinstance(place, Member):
        place = place.base
    return isinstance(place, Element) and place.slot.type.space is not Space.LOCAL


def word_of(type_: Struct) -> CType | None:
    """The type in which the compiler copies a structure; None if that is each number's own."""
    word = WORDS.get(min(alignment_of(type_), 16))
    sizes = _numbers(type_)
    is_dense = sum(sizes) == size_of(type_)
    return word if word is not None and is_dense and min(sizes) < size_of(word) else None


def _numbers(type_: CType) -> list[int]:
    """The sizes of all the numbers in a type, in bytes."""
    if isinstance(type_, ArrayOf):
        return _numbers(type_.element) * (type_.length or 0)
    if isinstance(type_, Struct):
        return [size for _, inner in type_.fields for size in _numbers(inner)]
    return [size_of(type_)]


def member_of(k: Lowerer, place: PlaceOf, name: str, inner: CType) -> PlaceOf:
    """A member of an object in memory; an array as the row of its elements."""
    assert isinstance(place, Element | Member)
    made = Member(place, name, inner)
    return array_member(k, made) if isinstance(inner, ArrayOf) else made


def element_of(row: Row, at: int) -> PlaceOf:
    """An element of an array inside memory."""
    assert isinstance(row.type, ArrayOf)
    inner, extents = dimensions(row.type.element)
    steps = int(np.prod([extent or 0 for extent in extents], dtype=int))
    offset = plus(row.offset, Const(np.int64(at * steps)))
    if isinstance(row.type.element, ArrayOf):
        return Row(row.slot, offset, row.type.element, row.const)
    return Element(row.slot, (offset,), inner, row.const)


def _copy_elements(k: Lowerer, node: Node, target: PlaceOf, source: PlaceOf) -> None:
    inner, extents = dimensions(source.type)
    for at in range(int(np.prod([extent or 0 for extent in extents], dtype=int))):
        index = (Const(np.int64(at)),)
        to, from_ = (Element(row.slot, index, inner) for row in (target, source))  # type: ignore[union-attr]
        write(k, node, to, read(k, node, from_))
