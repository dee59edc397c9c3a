"""Views of arrays in a Python kernel: parts, fields, other shapes; and methods, which make some."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import numpy as np

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
from gpuedu.simt.python import reductions
from gpuedu.simt.python.lowerer import Lowerer
from gpuedu.simt.values import Array, Tuple, Value

_REFUSED = {"astype", "copy", "fill", "cumsum", "cumprod", "sort"}
METHODS = {"item", "reshape", "ravel", "view", "transpose", *reductions.METHODS, *_REFUSED}


@dataclass(frozen=True, eq=False)
class Flat:
    """``a.flat``: the elements of an array in C order."""

    owner: Array


@dataclass(frozen=True, eq=False)
class Method:
    """An array's method, before it is called."""

    owner: Array
    name: str


def subview(k: Lowerer, slot: ArraySlot, parts: list[Expression | Axis]) -> Array:
    """A view of part of an array: an integer drops its dimension, a slice keeps it."""
    dropped = sum(not isinstance(part, Axis) for part in parts)
    type_ = ArrayType(
        slot.type.dtype, slot.type.ndim - dropped, slot.type.space, slot.type.readonly
    )
    view = k.builder.array_slot(name_of(slot), type_)
    counted = [_from_begin(slot, axis, part) for axis, part in enumerate(parts)]
    k.builder.emit(SetArray(view, slot, tuple(counted)))
    return Array(view)


def _from_begin(slot: ArraySlot, axis: int, part: Expression | Axis) -> Expression | Axis:
    """A negative index that the source spells out means an element from the end: no accident."""
    if isinstance(part, Const) and part.value < 0:
        return Binary("+", Extent(slot, axis), part, INT64)
    return part


def field(k: Lowerer, node: ast.expr, owner: Array, name: str) -> Value:
    """A field of a record, or of every record of an array."""
    view = field_view(k, node, owner, name)
    if view.slot.type.ndim == 0 and not view.slot.type.dtype.names:
        return k.load(node, view.slot, ())
    return view


def field_view(k: Lowerer, node: ast.expr, owner: Array, name: str) -> Array:
    """The memory of a field."""
    slot = owner.slot
    if not slot.type.dtype.names or name not in slot.type.dtype.names:
        raise k.refuse(node, f"`{name_of(slot)}` has no field `{name}`")
    inner = slot.type.dtype[name]
    extra = 0 if inner.subdtype is None else len(inner.subdtype[1])
    base = inner if inner.subdtype is None else inner.subdtype[0]
    type_ = ArrayType(base, slot.type.ndim + extra, slot.type.space, slot.type.readonly)
    view = k.builder.array_slot(name_of(slot), type_)
    k.builder.emit(SetArray(view, slot, (), field=name))
    return Array(view)


def complex_part(k: Lowerer, owner: Array, part: str) -> Array:
    """The real or imaginary parts of an array of complex numbers, as a view."""
    slot = owner.slot
    dtype = np.dtype(f"f{slot.type.dtype.itemsize // 2}")
    type_ = ArrayType(dtype, slot.type.ndim, slot.type.space, slot.type.readonly)
    view = k.builder.array_slot(name_of(slot), type_)
    k.builder.emit(SetArray(view, slot, (), field=part))
    return Array(view)


def transpose(k: Lowerer, owner: Array) -> Array:
    """The view with its dimensions in reverse order."""
    view = k.builder.array_slot(name_of(owner.slot), owner.slot.type)
    k.builder.emit(SetArray(view, owner.slot, (), field="T"))
    return Array(view)


def call_method(k: Lowerer, node: ast.Call, method: Method, arguments: list[Value]) -> Value:
    """An array's method."""
    slot = method.owner.slot
    if method.name in _REFUSED:
        raise k.refuse(
            node, f"arrays have no `.{method.name}` in a kernel", "write a loop over the elements"
        )
    if method.name == "item":
        return k.load(node, slot, tuple(Const(np.int64(0)) for _ in range(slot.type.ndim)))
    if method.name in reductions.METHODS:
        if arguments:
            raise k.refuse(node, f"`.{method.name}` takes no arguments here", "write a loop")
        return reductions.reduce(k, node, f"numpy.{method.name}", method.owner)
    if method.name == "transpose":
        return transpose(k, method.owner)
    if method.name == "view":
        raise k.refuse(node, "`.view` is not covered by gpuedu's machine")
    return _reshape(k, node, method.owner, arguments, method.name)


def _reshape(k: Lowerer, node: ast.Call, owner: Array, arguments: list[Value], name: str) -> Array:
    slot = owner.slot
    if name == "ravel":
        shape: tuple[Expression, ...] = (Extent(slot, -1),)
    else:
        items = arguments[0].items if isinstance(arguments[0], Tuple) else tuple(arguments)
        shape = tuple(k.integer(node, item) for item in items)
    type_ = ArrayType(slot.type.dtype, len(shape), slot.type.space, slot.type.readonly)
    view = k.builder.array_slot(name_of(slot), type_)
    k.builder.emit(SetArray(view, slot, (), shape=shape))
    return Array(view)


def name_of(slot: ArraySlot) -> str:
    """The name that an array has in the source."""
    return name_in_source(slot.name)
