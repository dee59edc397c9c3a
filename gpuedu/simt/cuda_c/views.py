"""Places in memory as views of arrays, and their addresses."""

from __future__ import annotations

import numpy as np

from gpuedu.simt.cuda_c.folding import plus
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed, pointer_to
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.places import Element, Member, PlaceOf, Row, is_in_registers
from gpuedu.simt.cuda_c.syntax import short
from gpuedu.simt.cuda_c.types import ArrayOf, Pointer, dimensions, dtype_of
from gpuedu.simt.program import (
    INT64,
    ArraySlot,
    ArrayType,
    Axis,
    Binary,
    Const,
    Expression,
    Extent,
    SetArray,
    name_in_source,
)
from gpuedu.simt.values import Value


def array_member(k: Lowerer, place: Member) -> Row:
    """An array inside a structure, which is then in memory."""
    slot, index = view_of(k, place)
    inner, extents = dimensions(place.type)
    parts_ = tuple(index) + tuple(Axis(None, None, None) for _ in extents)
    part = k.builder.array_slot(
        base_name(slot),
        ArrayType(dtype_of(inner), len(extents), slot.type.space, slot.type.readonly),
    )
    k.builder.emit(SetArray(part, slot, parts_))
    return Row(flat(k, part), Const(np.int64(0)), place.type)


def base_name(slot: ArraySlot) -> str:
    """The name of the array that a slot shows."""
    return name_in_source(slot.name)


def flat(k: Lowerer, slot: ArraySlot) -> ArraySlot:
    """An array of several dimensions as one of one dimension."""
    if slot.type.ndim == 1:
        return slot
    made = k.builder.array_slot(
        base_name(slot), ArrayType(slot.type.dtype, 1, slot.type.space, slot.type.readonly)
    )
    k.builder.emit(SetArray(made, slot, shape=(Const(np.int64(-1)),)))
    return made


def view_of(k: Lowerer, place: PlaceOf) -> tuple[ArraySlot, tuple[Expression, ...]]:
    """The array and index of a place in memory; a member is a view of all structures' members."""
    if isinstance(place, Element):
        return place.slot, place.index
    assert isinstance(place, Member)
    slot, index = view_of(k, place.base)
    inner, extents = dimensions(place.type)
    ndim = slot.type.ndim + len(extents)
    made = k.builder.array_slot(
        base_name(slot), ArrayType(dtype_of(inner), ndim, slot.type.space, slot.type.readonly)
    )
    k.builder.emit(SetArray(made, slot, field=place.name))
    return made, index


def decayed(k: Lowerer, place: Row) -> Typed:
    """An array as the pointer to its first element."""
    assert isinstance(place.type, ArrayOf)
    type_ = Pointer(place.type.element, place.const)
    return Typed(type_, pointer_to(flat(k, place.slot), place.offset))


def address(k: Lowerer, node: Node, place: PlaceOf) -> Typed:
    """``&place``."""
    match place:
        case Element(slot, index, type_, const):
            if len(index) == 1:
                return Typed(Pointer(type_, const), pointer_to(slot, index[0]))
            return Typed(Pointer(type_, const), _address_in(k, slot, index))
        case Row(slot, offset, type_, const):
            return Typed(Pointer(type_, const), pointer_to(flat(k, slot), offset))
        case Member() if not is_in_registers(place):
            slot, index = view_of(k, place)
            return Typed(Pointer(place.type), pointer_to(slot, index[0]))
    raise k.refuse(node, f"`{short(node)}` has no address here", "copy it into an array first")


def _address_in(k: Lowerer, slot: ArraySlot, index: tuple[Expression, ...]) -> Value:
    offset: Expression = Const(np.int64(0))
    for axis, part in enumerate(index):
        scaled = offset
        if not (isinstance(offset, Const) and not offset.value):
            scaled = Binary("*", offset, Extent(slot, axis), INT64)
        offset = plus(scaled, part)
    return pointer_to(flat(k, slot), offset)
