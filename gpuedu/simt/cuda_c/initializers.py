"""Initial values: lists in braces, for structures, numbers and arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.copies import has_array
from gpuedu.simt.cuda_c.dispatch import BUILDERS, evaluate
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed, constant
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import parts
from gpuedu.simt.cuda_c.types import UNSIGNED, CType, Number, Struct
from gpuedu.simt.cuda_c.variables import zero
from gpuedu.simt.values import Tuple


def initial_value(k: Lowerer, node: Node, type_: CType) -> Typed:
    """What a variable is declared with: ``= x``, ``{...}`` or ``(...)``."""
    if node.type == "initializer_list":
        return initialized(k, node, type_)
    if node.type in ("argument_list", "parameter_list"):
        given = parts(node)
        if node.type == "parameter_list":
            given = [parts(part)[0] for part in given]
        if isinstance(type_, Struct) and type_.members is not None and type_.members.are_made:
            return BUILDERS["structure"](k, node, type_, given, is_list=False)
        if isinstance(type_, Struct) and len(given) != 1:
            return initialized(k, node, type_)
        return evaluate(k, given[0])
    return evaluate(k, node)


def initialized(k: Lowerer, node: Node, type_: CType) -> Typed:
    """A structure or number from ``{...}``; members that are not given are 0, a dim3's are 1."""
    given = parts(node)
    if isinstance(type_, Number):
        if len(given) > 1:
            raise k.refuse(node, f"`{type_}` takes one value")
        return convert(k, node, evaluate(k, given[0]), type_) if given else constant(type_, 0)
    if not isinstance(type_, Struct):
        raise k.refuse(node, f"`{type_}` cannot be made from a list here")
    if has_array(type_):
        raise k.refuse(
            node, f"`{type_}` has an array, so it cannot be made right here", "a variable"
        )
    if type_.members is not None and type_.members.are_made:
        return BUILDERS["structure"](k, node, type_, given, is_list=True)
    if len(given) > len(type_.fields):
        raise k.refuse(node, f"`{type_}` has {len(type_.fields)} members, got {len(given)} values")
    items = []
    for at, (_, inner) in enumerate(type_.fields):
        if at >= len(given):
            items.append(constant(UNSIGNED, 1).value if type_.name == "dim3" else zero(k, inner))
        elif given[at].type == "initializer_list":
            items.append(initialized(k, given[at], inner).value)
        else:
            items.append(convert(k, given[at], evaluate(k, given[at]), inner).value)
    return Typed(type_, Tuple(tuple(items), tuple(name for name, _ in type_.fields)))


def placed_values(
    k: Lowerer, node: Node, shape: tuple[int, ...], lead: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], Node]]:
    """The values of a nested list with their indices; a flat list fills in C order."""
    given, depth = parts(node), len(lead)
    if len(shape) - depth > 1 and not any(part.type == "initializer_list" for part in given):
        places = list(np.ndindex(*shape[depth:]))
        if len(given) > len(places):
            raise k.refuse(node, f"{len(places)} values fit here, got {len(given)}")
        for place, part in zip(places, given, strict=False):
            yield (*lead, *map(int, place)), part
        return
    if len(given) > shape[depth]:
        raise k.refuse(node, f"{shape[depth]} values fit here, got {len(given)}")
    for at, part in enumerate(given):
        if depth == len(shape) - 1:
            yield (*lead, at), part
        else:
            yield from placed_values(k, part, shape, (*lead, at))
