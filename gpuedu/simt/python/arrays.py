"""Subscripts, slices, fields and methods of arrays in a Python kernel."""

from __future__ import annotations

import ast
import enum

import numpy as np

from gpuedu.simt.program import (
    BOOL,
    ArraySlot,
    Axis,
    Binary,
    Const,
    Expression,
    Extent,
    Fill,
    Store,
)
from gpuedu.simt.python import folds
from gpuedu.simt.python.constants import constant
from gpuedu.simt.python.counted import over_range
from gpuedu.simt.python.dispatch import EXPRESSIONS, evaluate
from gpuedu.simt.python.lowerer import Lowerer, cast
from gpuedu.simt.python.views import Flat, field, field_view, name_of, subview
from gpuedu.simt.typing_rules import can_assign
from gpuedu.simt.values import Array, Static, Tuple, Value, kind_of
from gpuedu.trace import Operation


@EXPRESSIONS.enter(ast.Subscript)
def read(k: Lowerer, node: ast.Subscript) -> Value:
    """``a[...]`` on the right-hand side."""
    owner = evaluate(k, node.value)
    if isinstance(owner, Tuple):
        return _item(k, node, owner)
    if isinstance(owner, Static) and isinstance(owner.object, Flat):
        number = k.integer(node, evaluate(k, node.slice))
        return folds.element(k, node, owner.object.owner, number)
    if isinstance(owner, Static) and isinstance(owner.object, enum.EnumMeta):
        return _member(k, node, owner.object)
    if not isinstance(owner, Array):
        raise k.refuse(node, "only arrays and tuples can be indexed in a kernel")
    name = _field_name(node.slice) or _field_at(k, node, owner)
    if name is not None:
        return field(k, node, owner, name)
    slot, index = locate(k, node, owner)
    if len(index) < slot.type.ndim or any(isinstance(part, Axis) for part in index):
        return subview(k, slot, index)
    if slot.type.dtype.names:
        return subview(k, slot, index)
    return k.load(node, slot, tuple(index))  # type: ignore[arg-type]


def _member(k: Lowerer, node: ast.Subscript, kind: enum.EnumMeta) -> Value:
    """``Color["red"]``."""
    name = _field_name(node.slice)
    if name is None or name not in kind.__members__:
        raise k.refuse(node, f"`{kind.__name__}` has no such member", "write its name as a string")
    return constant(k, node, kind[name])


def _field_at(k: Lowerer, node: ast.Subscript, owner: Array) -> str | None:
    """The field that ``record[0]`` means, None where an array is indexed."""
    names = owner.slot.type.dtype.names
    if owner.slot.type.ndim or not names:
        return None
    try:
        at = k.static(evaluate(k, node.slice))
    except LookupError:
        at = None
    if not isinstance(at, int) or not -len(names) <= at < len(names):
        raise k.refuse(
            node, f"a record is indexed by a number below {len(names)}, written in the source"
        )
    return names[at]


def write(k: Lowerer, node: ast.Subscript | ast.Attribute, value: Value) -> None:
    """``a[...] = value`` and ``record.field = value``."""
    slot, index = target(k, node)
    put(k, node, slot, index, value)


def target(
    k: Lowerer, node: ast.Subscript | ast.Attribute
) -> tuple[ArraySlot, list[Expression | Axis]]:
    """The array and index that an assignment writes to, evaluated once."""
    owner = evaluate(k, node.value)
    if not isinstance(owner, Array):
        raise k.refuse(node, "only elements of arrays can be assigned in a kernel")
    if isinstance(node, ast.Attribute):
        return field_view(k, node, owner, node.attr).slot, []
    name = _field_name(node.slice)
    if name is not None:
        return field_view(k, node, owner, name).slot, []
    return locate(k, node, owner)


def put(
    k: Lowerer,
    node: ast.expr,
    slot: ArraySlot,
    index: list[Expression | Axis],
    value: Value,
) -> None:
    """Store a value at an index, or into every element of a slice."""
    if slot.type.readonly:
        raise k.refuse(node, f"`{name_of(slot)}` cannot be written: it is constant")
    whole = len(index) < slot.type.ndim or any(isinstance(part, Axis) for part in index)
    if isinstance(value, Array) and slot.type.dtype.names and not whole:
        _copy_record(k, node, slot, index, value)
        return
    if isinstance(value, Array) and value.slot.type.ndim:
        if value.slot.type.ndim == slot.type.ndim and not index and _is_nested(node):
            _copy_array(k, node, slot, value)
            return
        raise k.refuse(
            node, "an array cannot be assigned to a slice in a kernel", "write a loop over elements"
        )
    scalar = k.scalar(node, value)
    if not can_assign(scalar.dtype, slot.type.dtype):
        raise k.refuse(
            node, f"{scalar.dtype.name} cannot be stored in an array of {slot.type.dtype.name}"
        )
    stored = cast(scalar.expression, slot.type.dtype)
    if whole:
        view = subview(k, slot, index)
        site = k.site(node, Operation.STORE, view.slot)
        k.builder.emit(Fill(view.slot, stored, site))
        return
    site = k.site(node, Operation.STORE, slot)
    k.builder.emit(Store(slot, tuple(index), stored, site))  # type: ignore[arg-type]


def _copy_record(
    k: Lowerer, node: ast.expr, slot: ArraySlot, index: list[Expression | Axis], value: Array
) -> None:
    """Records are copied field by field."""
    destination = subview(k, slot, index) if index else Array(slot)
    for name in slot.type.dtype.names or ():
        source = field(k, node, value, name)
        view = field_view(k, node, destination, name)
        if isinstance(source, Array) and source.slot.type.ndim:
            _copy_array(k, node, view.slot, source)
        else:
            put(k, node, view.slot, [], source)


def _is_nested(node: ast.expr) -> bool:
    """True if a target is a field of a record: only these take whole arrays."""
    return isinstance(node, ast.Attribute) or (
        isinstance(node, ast.Subscript) and _field_name(node.slice) is not None
    )


def _copy_array(k: Lowerer, node: ast.expr, slot: ArraySlot, value: Array) -> None:
    """An array in a record is copied element by element."""

    def along(axis: int, index: tuple[Expression, ...]) -> None:
        if axis == slot.type.ndim:
            put(k, node, slot, list(index), k.load(node, value.slot, index))
            return
        bounds = (Const(np.int64(0)), Extent(slot, axis), Const(np.int64(1)))
        over_range(k, node, bounds, lambda i: along(axis + 1, (*index, i.expression)), ())

    along(0, ())


def locate(
    k: Lowerer, node: ast.Subscript, owner: Array
) -> tuple[ArraySlot, list[Expression | Axis]]:
    """The parts of an index, one for each dimension that it names."""
    slot = owner.slot
    nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    parts: list[Expression | Axis] = []
    for part in nodes:
        if isinstance(part, ast.Slice):
            parts.append(_axis(k, part))
            continue
        if isinstance(part, ast.Constant) and part.value is Ellipsis:
            named = len(nodes) - 1
            parts += [Axis(None, None, None)] * (slot.type.ndim - named)
            continue
        value = evaluate(k, part)
        items = value.items if isinstance(value, Tuple) else (value,)
        parts += [k.integer(part, item) for item in items]
    if len(parts) > slot.type.ndim:
        raise k.refuse(
            node,
            f"`{name_of(slot)}` has {slot.type.ndim} dimension"
            f"{'' if slot.type.ndim == 1 else 's'}, the index has {len(parts)}",
            "give one index for each dimension",
        )
    return slot, parts


def _axis(k: Lowerer, node: ast.Slice) -> Axis:
    def bound(part: ast.expr | None) -> Expression | None:
        return None if part is None else k.integer(part, evaluate(k, part))

    if node.step is not None:
        try:
            k.static(evaluate(k, node.step))
        except LookupError:
            raise k.refuse(
                node.step, "the step of a slice must be a number written in the source"
            ) from None
    return Axis(bound(node.lower), bound(node.upper), bound(node.step))


def _item(k: Lowerer, node: ast.Subscript, owner: Tuple) -> Value:
    if isinstance(node.slice, ast.Slice):
        bounds = [
            None if part is None else k.static(evaluate(k, part))
            for part in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        return Tuple(owner.items[slice(*bounds)])
    index = evaluate(k, node.slice)
    try:
        at = k.static(index)
    except LookupError:
        return pick(k, node, owner, k.integer(node, index))
    if not -len(owner.items) <= at < len(owner.items):
        raise k.refuse(node, f"the tuple has {len(owner.items)} items, the index is {at}")
    return owner.items[at]


def pick(k: Lowerer, node: ast.AST, owner: Tuple, index: Expression) -> Value:
    """An item at an index that is only known when the kernel runs."""
    if len({kind_of(item) for item in owner.items}) > 1:
        raise k.refuse(
            node,
            "a tuple of different types can only be indexed by a number written in the source",
            "convert its items to one type",
        )
    index = k.builder.keep(index)
    result = owner.items[-1]
    for number in range(len(owner.items) - 2, -1, -1):
        here = Binary("==", index, Const(np.int64(number)), BOOL)
        chosen, other = owner.items[number], result
        result = k.either(node, here, lambda c=chosen: c, lambda o=other: o)
    return result


def _field_name(node: ast.expr) -> str | None:
    constant = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if constant else None  # type: ignore[attr-defined,return-value]


def array_argument(k: Lowerer, node: ast.AST, value: Value) -> Array:
    """The value, which must be an array."""
    if isinstance(value, Array):
        return value
    raise k.refuse(node, "an array is needed here")
