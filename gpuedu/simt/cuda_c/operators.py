"""Operators of C: which type a number is computed in, and how.

Source: ISO C++17, [expr].
"""

from __future__ import annotations

import numpy as np

from gpuedu.simt.cuda_c.bfloats import BFLOAT
from gpuedu.simt.cuda_c.conversions import convert, index_of, truth
from gpuedu.simt.cuda_c.folding import COMPARISONS, cast, divided, folded, plus
from gpuedu.simt.cuda_c.lowerer import (
    Lowerer,
    Typed,
    constant,
    member,
    pointer_parts,
    pointer_to,
)
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.types import (
    BOOLEAN,
    FLOAT,
    LONG,
    VECTORS,
    CType,
    Number,
    Pointer,
    arithmetic,
    dimensions,
    promoted,
)
from gpuedu.simt.program import BOOL, INT64, ArraySlot, Binary, Call, Const, Expression, Unary
from gpuedu.simt.values import Scalar, Tuple

_OF_BFLOATS = frozenset({"+", "-", "*", "/", *COMPARISONS})
_INTEGERS_ONLY = frozenset({"%", "&", "|", "^", "<<", ">>"})


def binary(k: Lowerer, node: Node, operator: str, left: Typed, right: Typed) -> Typed:
    """An operator of two values, none of them ``&&`` or ``||``."""
    if isinstance(left.type, Pointer) or isinstance(right.type, Pointer):
        return _on_pointers(k, node, operator, left, right)
    if left.type == right.type == VECTORS["half2"] and operator in "+-*/":
        items = (binary(k, node, operator, member(left, a), member(right, a)).value for a in "xy")
        return Typed(left.type, Tuple(tuple(items), ("x", "y")))
    if left.type == right.type == BFLOAT and operator in _OF_BFLOATS:
        sides = (convert(k, node, side, FLOAT) for side in (left, right))
        found = binary(k, node, operator, *sides)
        return found if found.type == BOOLEAN else convert(k, node, found, BFLOAT)
    if not isinstance(left.type, Number) or not isinstance(right.type, Number):
        raise k.refuse(
            node,
            f"`{operator}` needs numbers, these are `{left.type}` and `{right.type}`",
            "work on the members, such as `v.x`",
        )
    if operator in ("<<", ">>"):
        return _shift(k, node, operator, left, right)
    common = arithmetic(left.type, right.type)
    if operator in _INTEGERS_ONLY and common.dtype.kind == "f":
        raise k.refuse(node, f"`{operator}` needs integers, this is `{common}`", "fmodf(x, y)")
    one = cast(left.expression, common.dtype)
    other = cast(right.expression, common.dtype)
    if operator in COMPARISONS:
        return Typed(BOOLEAN, Scalar(folded(Binary(operator, one, other, BOOL))))
    return Typed(common, Scalar(_arithmetic(operator, one, other, common.dtype)))


def _arithmetic(operator: str, left: Expression, right: Expression, dtype: np.dtype) -> Expression:
    if operator not in "/%" or dtype.kind == "f":
        return folded(Binary(operator, left, right, dtype))
    return folded(Call("c.divide" if operator == "/" else "c.remainder", (left, right), dtype))


def _shift(k: Lowerer, node: Node, operator: str, left: Typed, right: Typed) -> Typed:
    assert isinstance(left.type, Number) and isinstance(right.type, Number)
    if "f" in (left.type.dtype.kind, right.type.dtype.kind):
        raise k.refuse(node, f"`{operator}` needs integers")
    kind = promoted(left.type)
    count = cast(cast(right.expression, promoted(right.type).dtype), kind.dtype)
    shifted = Binary(operator, cast(left.expression, kind.dtype), count, kind.dtype)
    return Typed(kind, Scalar(folded(shifted)))


def unary(k: Lowerer, node: Node, operator: str, typed: Typed) -> Typed:
    """``-``, ``+``, ``~`` or ``!``."""
    if operator == "!":
        condition = truth(k, node, typed)
        return Typed(BOOLEAN, Scalar(folded(Unary("not", condition, BOOL))))
    if not isinstance(typed.type, Number):
        raise k.refuse(node, f"`{operator}` needs a number, this is `{typed.type}`")
    kind = promoted(typed.type)
    inner = cast(typed.expression, kind.dtype)
    if operator == "+":
        return Typed(kind, Scalar(inner))
    if operator == "~" and kind.dtype.kind == "f":
        raise k.refuse(node, "`~` needs an integer")
    return Typed(kind, Scalar(folded(Unary(operator, inner, kind.dtype))))


def moved(pointer: Typed, by: Expression) -> Typed:
    """A pointer that many elements on; ``by`` is int64."""
    assert isinstance(pointer.type, Pointer)
    slot, offset = pointer_parts(pointer)
    step = stride_of(pointer.type.target)
    if step != 1:
        by = folded(Binary("*", by, Const(np.int64(step)), INT64))
    return Typed(pointer.type, pointer_to(slot, plus(offset, by)))


def _on_pointers(k: Lowerer, node: Node, operator: str, left: Typed, right: Typed) -> Typed:
    if isinstance(left.type, Pointer) and isinstance(right.type, Pointer):
        return _two_pointers(k, node, operator, left, right)
    if isinstance(right.type, Pointer):
        left, right = right, left
        if operator != "+":
            raise k.refuse(node, f"`{operator}` does not take a number and a pointer")
    if operator not in "+-":
        raise k.refuse(node, f"`{operator}` does not take a pointer and a number")
    by = index_of(k, node, right)
    if operator == "-":
        by = folded(Unary("-", by, INT64))
    return moved(left, by)


def _two_pointers(k: Lowerer, node: Node, operator: str, left: Typed, right: Typed) -> Typed:
    (one, first), (other, second) = pointer_parts(left), pointer_parts(right)
    if operator in ("==", "!=") and _are_apart(k, one, other):
        return constant(BOOLEAN, operator == "!=")
    if one is not other and (one.type.dtype != other.type.dtype or _are_apart(k, one, other)):
        raise k.refuse(
            node, "two pointers are only compared or subtracted here if they are into one array"
        )
    if operator in COMPARISONS:
        return Typed(BOOLEAN, Scalar(folded(Binary(operator, first, second, BOOL))))
    if operator != "-":
        raise k.refuse(node, f"`{operator}` does not take two pointers")
    assert isinstance(left.type, Pointer)
    difference = folded(Binary("-", first, second, INT64))
    return Typed(LONG, Scalar(divided(difference, stride_of(left.type.target))))


def _are_apart(k: Lowerer, one: ArraySlot, other: ArraySlot) -> bool:
    """Whether two pointers are known to be into different arrays.

    Where that is open, because a pointer was chosen or carried, they are taken to be into one:
    else C lets them neither be subtracted nor be put in an order.
    """
    declared = [entry.slot for table in ("shared", "local") for entry in getattr(k.tables, table)]
    known_arrays = [*declared, *k.arrays]
    return one is not other and all(
        any(slot is known for known in known_arrays) for slot in (one, other)
    )


def stride_of(type_: CType) -> int:
    """How many elements lie between ``p`` and ``p + 1``."""
    _, extents = dimensions(type_)
    return int(np.prod([extent or 0 for extent in extents], dtype=int)) if extents else 1
