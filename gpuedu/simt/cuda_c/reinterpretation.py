"""The bits of a thread's own variable as another type: ``*(int*)&x``."""

from __future__ import annotations

from gpuedu.simt.cuda_c.access import read
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.functions import FUNCTIONS
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.places import Element, named_place
from gpuedu.simt.cuda_c.syntax import bare, field, operator_of, parts, text_of
from gpuedu.simt.cuda_c.type_names import type_of
from gpuedu.simt.cuda_c.types import Number, Pointer
from gpuedu.trace import Space

_BITS = {
    ("float32", "i"): "__float_as_int",
    ("float64", "i"): "__double_as_longlong",
    ("int32", "f"): "__int_as_float",
    ("int64", "f"): "__longlong_as_double",
}


def reinterpreted(k: Lowerer, node: Node) -> Typed | None:
    """``*(int*)&x``: the bits of a thread's own variable as another type; None for the rest.

    On the machine such a variable is not memory, so there is nothing that a pointer could reread.
    """
    change = bare(field(node, "argument"))
    if change.type == "cast_expression":
        described, address_ = field(change, "type"), bare(field(change, "value"))
    elif change.type == "call_expression" and text_of(change).startswith("reinterpret_cast"):
        described = parts(field(field(change, "function"), "arguments"))[0]
        address_ = bare(parts(field(change, "arguments"))[0])
    else:
        return None
    if address_.type != "pointer_expression" or operator_of(address_) != "&":
        return None
    inside = bare(field(address_, "argument"))
    place = named_place(k, text_of(inside)) if inside.type == "identifier" else None
    is_own = isinstance(place, Element) and place.slot.type.space is Space.LOCAL
    target = type_of(k, described)
    if not is_own or not isinstance(target, Pointer) or not isinstance(target.target, Number):
        return None
    have, want = place.type, target.target
    if not isinstance(have, Number) or have.dtype.itemsize != want.dtype.itemsize:
        return None
    value = read(k, inside, place)
    if (have.dtype.kind == "f") == (want.dtype.kind == "f"):
        return convert(k, node, value, want)
    signed = f"int{8 * have.dtype.itemsize}"
    name = _BITS.get(
        (have.dtype.name, "i") if have.dtype.kind == "f" else (signed, "f")  # unsigned is alike
    )
    return None if name is None else convert(k, node, FUNCTIONS[name](k, node, [value]), want)
