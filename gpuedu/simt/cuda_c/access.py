"""Reading and writing places."""

from __future__ import annotations

import numpy as np

from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed, member
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.places import (
    Element,
    Local,
    Member,
    PlaceOf,
    Row,
    Temporary,
    is_const_place,
    is_in_registers,
)
from gpuedu.simt.cuda_c.syntax import short
from gpuedu.simt.cuda_c.types import CType, Number, Reference, Struct, dtype_of
from gpuedu.simt.cuda_c.variables import flag_of, read_variable
from gpuedu.simt.cuda_c.views import base_name, decayed, view_of
from gpuedu.simt.program import ArraySlot, Const, Expression, Load, Part, Record, Store
from gpuedu.simt.values import Scalar, Tuple, Value
from gpuedu.trace import Operation


def read(k: Lowerer, node: Node, place: PlaceOf) -> Typed:
    """The value at a place; an array decays to a pointer to its first element."""
    match place:
        case Temporary(typed):
            return typed
        case Local(variable):
            return read_variable(k, node, variable)
        case Row():
            return decayed(k, place)
        case Member(base, name, type_):
            if is_in_registers(base):
                return member(read(k, node, base), name)
            return _load(k, node, *view_of(k, place), type_)
        case Element(slot, index, type_):
            return _load(k, node, slot, index, type_)
    raise TypeError(place)


def _load(
    k: Lowerer, node: Node, slot: ArraySlot, index: tuple[Expression, ...], type_: CType
) -> Typed:
    loaded = k.builder.slot("t", slot.type.dtype)
    k.builder.emit(Load(loaded, slot, index, k.site(node, Operation.LOAD, slot)))
    return Typed(type_, unpacked(k, node, loaded, type_))


def unpacked(k: Lowerer, node: Node, record: Expression, type_: CType) -> Value:
    """A structure's members as numbers; a number as itself."""
    if isinstance(type_, Number):
        return Scalar(record)
    if not isinstance(type_, Struct):
        raise k.refuse(node, "a structure with an array in it is read member by member here")
    items = [
        unpacked(k, node, Part(record, name, record.dtype.fields[name][0]), inner)  # type: ignore[index]
        for name, inner in type_.fields
    ]
    return Tuple(tuple(items), tuple(name for name, _ in type_.fields))


def packed(value: Value, type_: CType) -> Expression:
    """The reverse of ``unpacked``."""
    if isinstance(value, Scalar):
        return value.expression
    assert isinstance(value, Tuple) and isinstance(type_, Struct)
    items = tuple(
        packed(item, inner) for item, (_, inner) in zip(value.items, type_.fields, strict=True)
    )
    return Record(items, dtype_of(type_))


def write(k: Lowerer, node: Node, place: PlaceOf, typed: Typed) -> None:
    """Set a place; the value is converted to its type first."""
    target = place.type.target if isinstance(place.type, Reference) else place.type
    typed = convert(k, node, typed, target)
    match place:
        case Local(variable):
            k.builder.assign(variable.key, typed.value)
            if k.builder.names is not None and flag_of(variable) in k.builder.names:
                k.builder.names[flag_of(variable)] = Scalar(Const(np.bool_(True)))
        case Member(base, name) if is_in_registers(base):
            write(k, node, base, _with_member(k, base, name, typed))
        case Element() | Member():
            slot, index = view_of(k, place)
            if slot.type.readonly or is_const_place(place):
                raise k.refuse(node, f"`{base_name(slot)}` is `const`: it cannot be written")
            value = packed(typed.value, target)
            site = k.site(node, Operation.STORE, slot)
            k.builder.emit(Store(slot, index, value, site))
        case _:
            raise k.refuse(node, f"`{short(node)}` cannot be assigned to")


def _with_member(k: Lowerer, base: PlaceOf, name: str, value: Typed) -> Typed:
    """A structure's value with one member changed."""
    old = _stored(k, base)
    assert isinstance(base.type, Struct) and isinstance(old.value, Tuple)
    names = [field_name for field_name, _ in base.type.fields]
    items = list(old.value.items)
    items[names.index(name)] = k.builder.hold(value.value, name)
    return Typed(base.type, Tuple(tuple(items), old.value.names))


def _stored(k: Lowerer, place: PlaceOf) -> Typed:
    """A structure's value as it is, also before it is set as a whole."""
    if isinstance(place, Member):
        return member(_stored(k, place.base), place.name)
    assert isinstance(place, Local) and k.builder.names is not None
    return Typed(place.type, k.builder.names[place.variable.key])
