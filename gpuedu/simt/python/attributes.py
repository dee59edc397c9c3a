"""Attributes in a Python kernel: of modules, arrays, records, named tuples and numbers."""

from __future__ import annotations

import ast
from types import ModuleType
from typing import Any

import numpy as np

from gpuedu.simt.host.names import dotted_name
from gpuedu.simt.program import Binary, Const, Extent, Stride, Unary
from gpuedu.simt.python import threads, views
from gpuedu.simt.python.constants import constant
from gpuedu.simt.python.dispatch import EXPRESSIONS, evaluate
from gpuedu.simt.python.lowerer import BitCount, Conjugate, Lowerer, shape_of
from gpuedu.simt.values import Array, Scalar, Static, Tuple, Value


@EXPRESSIONS.enter(ast.Attribute)
def _attribute(k: Lowerer, node: ast.Attribute) -> Value:
    owner = evaluate(k, node.value)
    match owner:
        case Static(thing):
            return _static_attribute(k, node, thing)
        case Array():
            return _array_attribute(k, node, owner)
        case Tuple(items, names) if node.attr in names:
            return items[names.index(node.attr)]
        case Scalar() if node.attr == "bit_count" and owner.dtype.kind in "iu":
            return Static(BitCount(owner))
        case Scalar() if node.attr == "conjugate" and owner.dtype.kind in "iufc":
            return Static(Conjugate(owner))
        case Scalar() if node.attr in ("real", "imag"):
            return _part(owner, node.attr)
    raise k.refuse(node, f"`.{node.attr}` cannot be used here")


def _part(value: Scalar, attr: str) -> Scalar:
    if value.dtype.kind != "c":
        zero = Const(value.dtype.type(0))
        return value if attr == "real" else Scalar(zero)
    part = np.dtype(f"f{value.dtype.itemsize // 2}")
    return Scalar(Unary(attr, value.expression, part))


def _static_attribute(k: Lowerer, node: ast.Attribute, thing: Any) -> Value:
    name = dotted_name(thing)
    special = threads.special(f"{name}.{node.attr}") if name else None
    if special is not None:
        return special
    try:
        found = getattr(thing, node.attr)
    except AttributeError:
        where = name or getattr(thing, "__name__", repr(thing))
        raise k.refuse(node, f"`{where}` has no `{node.attr}`") from None
    if isinstance(found, ModuleType) and _is_anothers(found, thing):
        raise k.refuse(node, f"`{ast.unparse(node)}` is another library's module: import it itself")
    special = threads.special(dotted_name(found) or "")
    return special if special is not None else constant(k, node, found)


def _is_anothers(found: ModuleType, thing: Any) -> bool:
    """Whether a name of a module leads out of its library, as ``np.f2py.os`` does."""
    own = getattr(thing, "__name__", "").partition(".")[0]
    return isinstance(thing, ModuleType) and found.__name__.partition(".")[0] != own


def _array_attribute(k: Lowerer, node: ast.Attribute, owner: Array) -> Value:
    slot, attr = owner.slot, node.attr
    if slot.type.dtype.names and attr in slot.type.dtype.names:
        return views.field(k, node, owner, attr)
    match attr:
        case "shape":
            return shape_of(slot)
        case "strides":
            return Tuple(tuple(Scalar(Stride(slot, axis)) for axis in range(slot.type.ndim)))
        case "size":
            return Scalar(Extent(slot, -1))
        case "ndim":
            return constant(k, node, slot.type.ndim)
        case "itemsize":
            return constant(k, node, slot.type.dtype.itemsize)
        case "nbytes":
            size = Const(np.int64(slot.type.dtype.itemsize))
            return Scalar(Binary("*", Extent(slot, -1), size, np.dtype(np.int64)))
        case "dtype":
            return Static(slot.type.dtype.type)
        case "T":
            return views.transpose(k, owner)
        case "flat":
            return Static(views.Flat(owner))
    if attr in ("real", "imag") and slot.type.dtype.kind == "c":
        return views.complex_part(k, owner, attr)
    if attr in views.METHODS:
        return Static(views.Method(owner, attr))
    raise k.refuse(node, f"arrays have no `.{attr}` in a kernel")
