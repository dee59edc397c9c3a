"""Objects in local memory, where structures with arrays in them live: new ones, and moved ones.

A call or a list in braces makes an object without a name. Nothing else has it, so the variable that
is declared with it takes it over, and nothing is copied, as C++ guarantees since 2017.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.copies import copy, has_array, source_of
from gpuedu.simt.cuda_c.dispatch import BUILDERS
from gpuedu.simt.cuda_c.initializers import initialized
from gpuedu.simt.cuda_c.lowerer import Lowerer, Memory, Typed
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.places import Element, PlaceOf, Temporary
from gpuedu.simt.cuda_c.syntax import bare, text_of
from gpuedu.simt.cuda_c.types import AUTO, CType, dtype_of
from gpuedu.simt.program import ArrayType, Const, LocalArray
from gpuedu.trace import Space


def new_object(k: Lowerer, node: Node, name: str, type_: CType) -> Element:
    """Local memory of one element, with a name for the machine's reports."""
    try:
        dtype = dtype_of(type_)
    except TypeError:
        raise k.refuse(node, f"an array of `{type_}` is not covered") from None
    slot = k.builder.array_slot(name, ArrayType(dtype, 1, Space.LOCAL))
    k.tables.add("local", LocalArray(slot, (1,)))
    return Element(slot, (Const(np.int64(0)),), type_, fresh=True)


def own(k: Lowerer, node: Node, name: str, source: PlaceOf) -> Element:
    """An object that nothing else has, equal to a given one: that itself if it is fresh."""
    if isinstance(source, Element) and source.fresh:
        return source
    made = new_object(k, node, name, source.type)
    copy(k, node, made, source)
    return made


def bound(place: Element) -> Memory:
    """An object as what a name stands for."""
    return Memory(place.slot, place.type, is_scalar=True)


def given_back(k: Lowerer, node: Node, type_: CType) -> PlaceOf:
    """What ``return x;`` gives, in the function's return type; a value, or an object in memory.

    A variable of the function itself, which ends here, is fresh.
    """
    if node.type == "initializer_list":
        if not has_array(type_):
            return Temporary(initialized(k, node, type_))
        made = new_object(k, node, str(type_), type_)
        BUILDERS["fill"](k, node, made, node)
        return made
    source = source_of(k, node)
    if isinstance(source, Temporary):
        typed = source.typed if type_ == AUTO else convert(k, node, source.typed, type_)
        return Temporary(Typed(typed.type, k.builder.hold(typed.value)))
    if type_ not in (AUTO, source.type):
        raise k.refuse(node, f"a `{source.type}` cannot become a `{type_}` here")
    inner = bare(node)
    if inner.type == "identifier" and isinstance(source, Element) and _dies(k, text_of(inner)):
        return replace(source, fresh=True)
    return source


def _dies(k: Lowerer, name: str) -> bool:
    """Whether a name is a variable of the function that returns."""
    for scope in reversed(k.frame.scopes):
        if name in scope:
            found = scope[name]
            return isinstance(found, Memory) and found.slot.type.space is Space.LOCAL
    return False
