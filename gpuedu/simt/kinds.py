"""Where two paths meet: the kind that holds both values, and the moves that convert them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuedu.simt.program import ArraySlot, Cast, Const, Expression, Move
from gpuedu.simt.typing_rules import TypingError, unify
from gpuedu.simt.values import Array, Kind, Optional, Scalar, Static, Tuple, Value, leaves


@dataclass(frozen=True, eq=False)
class Clash(Value):
    """A name whose values on two paths have no common type: an error once it is read."""

    first: Value
    second: Value


def unify_kinds(first: Kind, second: Kind) -> Kind:
    """The kind that holds both, as Numba unifies types; TypingError if there is none."""
    if first == second:
        return first
    if _is_none(first) or _is_none(second):
        other = second if _is_none(first) else first
        if other[0] in ("scalar", "optional"):
            return ("optional", other[1])
    match first, second:
        case ("scalar", left), ("scalar", right):
            return ("scalar", unify(left, right))
        case ("tuple", left, fields), ("tuple", right, others) if len(left) == len(right):
            kinds = tuple(unify_kinds(a, b) for a, b in zip(left, right, strict=True))
            return ("tuple", kinds, fields if fields == others else ())
        case ("array", *left), ("array", *right) if left[:3] == right[:3]:
            return ("array", *left[:3], left[3] or right[3])
        case (("optional" | "scalar"), left), (("optional" | "scalar"), right):
            return ("optional", unify(left, right))
    raise TypingError(
        f"no common type for {say(first)} and {say(second)}",
        remedy="give the variable one type on every path, or use a second name",
    )


def _is_none(kind: Kind) -> bool:
    return kind[0] == "static" and kind[1].object is None


def say(kind: Kind) -> str:
    """A kind in words."""
    match kind:
        case ("scalar", dtype):
            return f"{dtype.name}"
        case ("optional", dtype):
            return f"{dtype.name} or None"
        case ("array", dtype, ndim, *_):
            return f"an array of {dtype.name} with {ndim} dimension{'' if ndim == 1 else 's'}"
        case ("tuple", kinds, _):
            return f"a tuple of {len(kinds)}"
        case ("static", key):
            return "None" if key.object is None else f"{key.object!r}"
    return str(kind)


def convert(value: Value, kind: Kind) -> list[Expression | ArraySlot]:
    """The leaves of a value, cast to the types of ``kind``."""
    match value, kind:
        case Scalar(expression), ("scalar", dtype):
            return [expression if expression.dtype == dtype else Cast(expression, dtype)]
        case Tuple(items), ("tuple", kinds, _):
            return [
                leaf
                for item, item_kind in zip(items, kinds, strict=True)
                for leaf in convert(item, item_kind)
            ]
        case Array(slot), _:
            return [slot]
        case Optional(number, there), ("optional", dtype):
            return [*convert(number, ("scalar", dtype)), there.expression]
        case Scalar(), ("optional", dtype):
            return [*convert(value, ("scalar", dtype)), Const(np.True_)]
        case Static(), ("optional", dtype):
            return [Const(dtype.type(0)), Const(np.False_)]
    return []


def moves(target: Value, value: Value | None, kind: Kind) -> list[Move]:
    """Moves that set the slots of ``target``; None if the source has no value yet."""
    slots = list(leaves(target))
    if value is None or isinstance(value, Clash):
        return [(slot, None) for slot in slots]
    return list(zip(slots, convert(value, kind), strict=True))
