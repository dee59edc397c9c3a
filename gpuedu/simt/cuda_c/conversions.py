"""C's conversions: a value as another type, a condition or an index.

Source: ISO C++17, [conv].
"""

from __future__ import annotations

import numpy as np

from gpuedu.errors import KernelSourceError
from gpuedu.simt.cuda_c.bfloats import BFLOAT, rounded, widened
from gpuedu.simt.cuda_c.folding import cast, divided, folded, plus
from gpuedu.simt.cuda_c.group_types import Group, fits, settled
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed, known, pointer_parts, pointer_to
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import short
from gpuedu.simt.cuda_c.types import (
    BOOLEAN,
    FLOAT,
    CType,
    Number,
    Pointer,
    Struct,
    arithmetic,
    dimensions,
    dtype_of,
)
from gpuedu.simt.program import BOOL, INT64, Binary, Const, Expression, Extent, Retype
from gpuedu.simt.values import Scalar, Tuple

_INDICES = {"uint3", "dim3"}
"""CUDA's types of a thread's index and of a block's extents: each becomes the other."""


def convert(k: Lowerer, node: Node, typed: Typed, target: CType) -> Typed:
    """A value as another type, implicitly or by a cast."""
    if typed.type == target:
        return typed
    match typed.type, target:
        case Number(), Number(dtype):
            return Typed(target, Scalar(cast(typed.expression, dtype)))
        case Pointer(), Pointer():
            return _pointer(k, node, typed, target)
        case Group(), Group() if fits(typed.type, target):
            return Typed(settled(typed.type, target), typed.value)
        case Struct(name=name), Struct(name=other) if name == other or {name, other} == _INDICES:
            return Typed(target, typed.value)
        case Pointer(), Number(dtype) if dtype == BOOL:
            return Typed(BOOLEAN, Scalar(is_there(k, typed)))
        case Struct(name="__nv_bfloat16"), Number(dtype) if typed.type == BFLOAT:
            assert isinstance(typed.value, Tuple)
            return convert(k, node, Typed(FLOAT, widened(typed.value)), target)
        case Number(), Struct(name="__nv_bfloat16") if typed.type == FLOAT and target == BFLOAT:
            return Typed(target, rounded(k.builder.keep(typed.expression)))
        case Number(), Struct(name="__nv_bfloat16") if target == BFLOAT and _is_small(typed):
            return convert(k, node, convert(k, node, typed, FLOAT), target)
        case Number(), Struct(name="dim3", fields=fields):
            one = Scalar(Const(np.uint32(1)))
            first = Scalar(cast(typed.expression, np.dtype(np.uint32)))
            return Typed(target, Tuple((first, one, one), tuple(name for name, _ in fields)))
        case Number(), Pointer() if known(typed) == 0:
            raise null_pointer(k, node)
    raise k.refuse(node, f"`{short(node)}` is `{typed.type}`, which cannot become `{target}` here")


def _is_small(typed: Typed) -> bool:
    """Whether a value is an integer known now that a float holds exactly."""
    value = known(typed)
    assert isinstance(typed.type, Number)
    return value is not None and typed.type.dtype.kind in "iub" and abs(int(value)) <= 1 << 24


def null_pointer(k: Lowerer, node: Node) -> KernelSourceError:
    """The error for a null pointer that is used for more than a test."""
    return k.refuse(node, "a null pointer is not modeled", "pass a flag beside the pointer")


def _pointer(k: Lowerer, node: Node, typed: Typed, target: Pointer) -> Typed:
    """A pointer as one to another type: the same memory in other elements."""
    slot, offset = pointer_parts(typed)
    wanted = _element(target.target)
    if wanted is None or wanted == slot.type.dtype:
        return Typed(target, typed.value)
    view = k.builder.array_slot(
        slot.name.rpartition("_")[0],
        type(slot.type)(wanted, 1, slot.type.space, slot.type.readonly),
    )
    place = k.place(node)
    k.builder.emit(Retype(view, slot, offset, place))
    have, want = slot.type.dtype.itemsize, wanted.itemsize
    if want >= have and want % have == 0:
        moved = divided(offset, want // have)
    elif have % want == 0:
        moved = folded(Binary("*", offset, Const(np.int64(have // want)), INT64))
    else:
        raise k.refuse(node, f"a `{typed.type}` cannot be read as a `{target}` here")
    return Typed(target, pointer_to(view, k.builder.keep(moved, "p")))


def _element(type_: CType) -> np.dtype | None:
    inner, _ = dimensions(type_)
    return dtype_of(inner) if isinstance(inner, Number | Struct) else None


def is_there(k: Lowerer, pointer: Typed) -> Expression:
    """Whether a pointer is not null: only an argument of the launch can be null.

    ``None`` arrives as an array of no elements; so does an array that has none, whose address is
    also 0 in CuPy.
    """
    slot, offset = pointer_parts(pointer)
    if not any(slot is parameter for parameter in k.arrays):
        return Const(np.bool_(True))
    return Binary("!=", plus(offset, Extent(slot, 0)), Const(np.int64(0)), BOOL)


def truth(k: Lowerer, node: Node, typed: Typed) -> Expression:
    """A value as a condition."""
    return convert(k, node, typed, BOOLEAN).expression


def index_of(k: Lowerer, node: Node, typed: Typed) -> Expression:
    """An integer as an int64 index."""
    if not isinstance(typed.type, Number) or typed.type.dtype.kind not in "iub":
        raise k.refuse(node, f"an index is an integer, `{short(node)}` is `{typed.type}`")
    return cast(typed.expression, INT64)


def common_type(k: Lowerer, node: Node, left: CType, right: CType) -> CType:
    """The type of ``condition ? left : right``."""
    if left == right:
        return left
    if isinstance(left, Number) and isinstance(right, Number):
        return arithmetic(left, right)
    if isinstance(left, Pointer) and isinstance(right, Pointer) and left.target == right.target:
        return Pointer(left.target, left.const or right.const)
    if {type(left), type(right)} == {Pointer, Number}:  # C++ takes no number but 0 here
        raise null_pointer(k, node)
    raise k.refuse(node, f"`{left}` and `{right}` have no common type")
