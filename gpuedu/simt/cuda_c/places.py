"""Places: what an expression can name that holds a value, in registers or in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gpuedu.simt.cuda_c.lowerer import Alias, Fixed, Lowerer, Memory, Typed, Variable, pointer_parts
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import short, text_of
from gpuedu.simt.cuda_c.types import ArrayOf, CType, Number, Pointer, Struct
from gpuedu.simt.program import ArraySlot, Const, Expression


@dataclass(frozen=True, eq=False)
class Local:
    """A variable in registers."""

    variable: Variable
    type: CType


@dataclass(frozen=True, eq=False)
class Element:
    """One element of memory; a ``fresh`` one is an unnamed object that nothing else has."""

    slot: ArraySlot
    index: tuple[Expression, ...]
    type: CType
    const: bool = False
    fresh: bool = False


@dataclass(frozen=True, eq=False)
class Row:
    """An array inside memory, ``offset`` elements from the start of a flat slot."""

    slot: ArraySlot
    offset: Expression
    type: CType
    const: bool = False


@dataclass(frozen=True, eq=False)
class Member:
    """A member of a structure that is in a variable or in memory."""

    base: Local | Element | Member
    name: str
    type: CType


@dataclass(frozen=True, eq=False)
class Temporary:
    """A value without a place, such as a call's result."""

    typed: Typed

    @property
    def type(self) -> CType:
        """Its type."""
        return self.typed.type


PlaceOf = Local | Element | Row | Member | Temporary


def named_place(k: Lowerer, name: str) -> PlaceOf | None:
    """The place that a name stands for; None if it is not a variable."""
    match k.find(name):
        case Variable() as variable:
            return Local(variable, variable.type)
        case Memory(slot, type_, True):
            return Element(slot, (Const(np.int64(0)),), type_)
        case Memory(slot, type_):
            return Row(slot, Const(np.int64(0)), type_)
        case Alias(place):
            return named(place)
        case Fixed(value):
            return Temporary(value)
    return None


def named(place: PlaceOf) -> PlaceOf:
    """A place that has a name from now on."""
    return replace(place, fresh=False) if isinstance(place, Element) else place


def defined_place(k: Lowerer, node: Node) -> PlaceOf:
    """The place that a name stands for; refused if there is none."""
    found = named_place(k, text_of(node))
    if found is None:
        raise k.refuse(node, f"`{text_of(node)}` is not defined")
    return found


def decay(k: Lowerer, node: Node, typed: Typed) -> Typed:
    """The value, which must be a pointer."""
    if not isinstance(typed.type, Pointer):
        raise k.refuse(node, f"`{short(node)}`: only arrays and pointers have elements")
    return typed


def dereference(k: Lowerer, node: Node, pointer: Typed) -> PlaceOf:
    """What a pointer points to."""
    pointer = decay(k, node, pointer)
    assert isinstance(pointer.type, Pointer)
    slot, offset = pointer_parts(pointer)
    target = pointer.type.target
    if isinstance(target, ArrayOf):
        return Row(slot, offset, target, pointer.type.const)
    if not isinstance(target, Number | Struct):
        raise k.refuse(node, f"a `{pointer.type}` has no element that can be read here")
    return Element(slot, (offset,), target, pointer.type.const)


def is_in_registers(place: PlaceOf) -> bool:
    """Whether a place is a variable in registers, or a part of one."""
    return isinstance(place, Local) or (isinstance(place, Member) and is_in_registers(place.base))


def is_in_memory(place: PlaceOf) -> bool:
    """Whether a place is one of memory, not a variable in registers or a plain value."""
    if isinstance(place, Member):
        return is_in_memory(place.base)
    return isinstance(place, Element | Row)


def is_const_place(place: PlaceOf) -> bool:
    """Whether a place is memory that may only be read."""
    if isinstance(place, Member):
        return is_const_place(place.base)
    return isinstance(place, Element | Row) and place.const
