"""Calls: CUDA's own functions, and casts written as calls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuedu.simt.cuda_c import (
    atomics,
    bits,
    functions,
    groups,
    matrix_functions,
    pairs,
    pointer_functions,
    printing,
    threads,
)
from gpuedu.simt.cuda_c.access import read
from gpuedu.simt.cuda_c.construction import is_made
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.dispatch import (
    BUILDERS,
    PLACES,
    VALUES,
    evaluate_all,
    place_of,
    unevaluated,
)
from gpuedu.simt.cuda_c.group_types import Group
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed, TypeName
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.places import Local, PlaceOf, Temporary, named_place
from gpuedu.simt.cuda_c.source_calls import of_source
from gpuedu.simt.cuda_c.syntax import (
    bare,
    field,
    operator_of,
    parts,
    short,
    text_of,
    within_namespaces,
)
from gpuedu.simt.cuda_c.type_names import type_named, type_of
from gpuedu.simt.cuda_c.types import (
    INT,
    LONG,
    UNSIGNED,
    VECTORS,
    Struct,
    TypeTemplate,
    number,
)
from gpuedu.simt.cuda_c.variables import as_it_is, zero
from gpuedu.simt.cuda_c.whole_numbers import whole_number_of
from gpuedu.simt.program import Const
from gpuedu.simt.values import Scalar, Tuple

_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast"})
_SIZES = {"unsigned": UNSIGNED, "signed": INT, "short": number("int16"), "long": LONG}
"""Words that the grammar takes for the name of a function in ``long(x)``."""

_REFUSED = {
    "malloc": "pass an array, or use a local array of fixed size",
    "free": "pass an array, or use a local array of fixed size",
    "cudaMalloc": "that is host code: make the array with `cp.empty` outside the kernel",
    "cudaMemcpy": "that is host code: copy with `cp.asarray` outside the kernel",
    "tex2D": "read the array itself",
    "__syncthreads_any": "`__syncthreads_or`",
    "__shfl": "`__shfl_sync(mask, value, lane)`: since Volta the lanes are named",
    "__shfl_down": "`__shfl_down_sync(mask, value, delta)`: since Volta the lanes are named",
    "__ballot": "`__ballot_sync(mask, condition)`: since Volta the lanes are named",
}


@PLACES.enter("call_expression")
def _called(k: Lowerer, node: Node) -> PlaceOf:
    """What a call gives: a place, if it is a reference or an object in memory."""
    made = of_source(k, node)
    return Temporary(_of_cuda(k, node)) if made is None else made


@VALUES.enter("call_expression")
def call(k: Lowerer, node: Node) -> Typed:
    """The value of a call."""
    return read(k, node, _called(k, node))


def _of_cuda(k: Lowerer, node: Node) -> Typed:
    """A call of one of CUDA's functions, or a cast that is written as one."""
    callee, given = bare(field(node, "function")), parts(field(node, "arguments"))
    if callee.type == "qualified_identifier":
        callee = within_namespaces(callee)
    match callee.type:
        case "identifier":
            return _named(k, node, text_of(callee), given)
        case "template_function":
            return _with_types(k, node, callee, given)
        case "primitive_type" | "sized_type_specifier" | "type_identifier":
            return _as_cast(k, node, callee, given)
        case "qualified_identifier" if groups.is_named(k, callee):
            return _of_groups(k, node, text_of(field(callee, "name")), given)
        case "qualified_identifier" if (name := text_of(callee).rpartition("::")[2]) in (
            {"memcpy"} | matrix_functions.FUNCTIONS.keys() | groups.functions_here(k)
        ):
            return _named(k, node, name, given)
        case "field_expression" if (group := _group_of(k, callee)) is not None:
            return groups.method(
                k, node, group, text_of(field(callee, "field")), _group_arguments(k, callee, given)
            )
        case "field_expression":
            raise k.refuse(node, f"`{short(callee)}`: structures have no functions here")
    raise k.refuse(node, f"`{short(callee)}` cannot be called here")


def _of_groups(k: Lowerer, node: Node, name: str, given: list[Node]) -> Typed:
    if name in groups.REFUSED:
        raise k.refuse(node, f"`{name}` of cooperative groups is not covered")
    return groups.call(k, node, name, evaluate_all(k, given))


def _group_of(k: Lowerer, callee: Node) -> Group | None:
    """The group whose function a call names; None where it is none."""
    owner = field(callee, "argument")
    type_ = unevaluated(k, owner, place_of) if operator_of(callee) == "." else None
    return type_ if isinstance(type_, Group) else None


def _group_arguments(k: Lowerer, callee: Node, given: list[Node]) -> list[Typed]:
    is_shuffle = text_of(field(callee, "field")).startswith("shfl")
    return _shuffled(k, given, 0) if is_shuffle else evaluate_all(k, given)


def _shuffled(k: Lowerer, given: Sequence[Node], value: int = 1) -> list[Typed]:
    """A shuffle's arguments: a lane may offer a variable that it never set, if nobody takes it.

    ``if (lane == 0) base = f(); base = __shfl_sync(mask, base, 0);`` is right. Whether the lane
    whose value is taken had set it is not looked at.
    """
    values = evaluate_all(k, [*given[:value], *given[value + 1 :]])
    if len(given) > value:
        part = bare(given[value])
        place = named_place(k, text_of(part)) if part.type == "identifier" else None
        offered = as_it_is(k, place.variable) if isinstance(place, Local) else None
        found = evaluate_all(k, [given[value]]) if offered is None else [offered]
        values[value:value] = found
    return values


def _named(k: Lowerer, node: Node, name: str, given: list[Node]) -> Typed:
    if isinstance(k.find(name), TypeName) or name in k.module.types:
        return _as_cast(k, node, bare(field(node, "function")), given)
    if name in groups.functions_here(k):
        return _of_groups(k, node, name, given)
    if name in matrix_functions.FUNCTIONS:
        return matrix_functions.call(k, node, name, given)
    if name in pointer_functions.FUNCTIONS:
        return pointer_functions.FUNCTIONS[name](k, node, evaluate_all(k, given))
    if name == "memcpy":
        return bits.copy_memory(k, node, given)
    if name == "printf":
        return printing.print_formatted(k, node, given, evaluate_all(k, given[1:]))
    if name == "assert":
        return printing.asserted(k, node, given)
    if name == "__trap":
        return printing.trap(k, node)
    if name in atomics.NAMES:
        return atomics.atomic(k, node, name, evaluate_all(k, given))
    if name in threads.FUNCTIONS:
        values = _shuffled(k, given) if name.startswith("__shfl") else evaluate_all(k, given)
        return threads.FUNCTIONS[name](k, node, values)
    if name in functions.FUNCTIONS:
        return functions.FUNCTIONS[name](k, node, evaluate_all(k, given))
    if name in pairs.FUNCTIONS:
        return pairs.FUNCTIONS[name](k, node, evaluate_all(k, given))
    if name.startswith("make_") and name.removeprefix("make_") in VECTORS:
        return _vector(k, node, VECTORS[name.removeprefix("make_")], given)
    if name in _SIZES and len(given) == 1:
        return convert(k, node, evaluate_all(k, given)[0], _SIZES[name])
    if name in ("__builtin_expect", "__builtin_assume", "__builtin_assume_aligned"):
        return evaluate_all(k, given[:1])[0]
    raise k.refuse(node, f"the function `{name}` is not covered", _REFUSED.get(name, ""))


def _vector(k: Lowerer, node: Node, type_: Struct, given: list[Node]) -> Typed:
    if len(given) != len(type_.fields):
        raise k.refuse(node, f"`make_{type_}` takes {len(type_.fields)} numbers, got {len(given)}")
    values = [
        convert(k, part, value, inner).value
        for part, value, (_, inner) in zip(given, evaluate_all(k, given), type_.fields, strict=True)
    ]
    return Typed(type_, Tuple(tuple(values), tuple(name for name, _ in type_.fields)))


def _as_cast(k: Lowerer, node: Node, callee: Node, given: list[Node]) -> Typed:
    """``float(x)``, ``T(x)``, ``dim3(x, y)``."""
    type_ = type_named(k, text_of(callee)) if callee.type == "identifier" else type_of(k, callee)
    assert type_ is not None
    if is_made(type_):
        return BUILDERS["structure"](k, node, type_, given, is_list=False)
    if not given:
        return Typed(type_, zero(k, type_))
    values = evaluate_all(k, given)
    if isinstance(type_, Struct) and len(given) > 1:
        items = [
            convert(k, node, value, inner).value
            for value, (_, inner) in zip(values, type_.fields, strict=False)
        ]
        items += [Scalar(Const(np.uint32(1)))] * (len(type_.fields) - len(items))
        return Typed(type_, Tuple(tuple(items), tuple(name for name, _ in type_.fields)))
    if len(given) != 1:
        raise k.refuse(node, f"`{type_}` takes one value")
    return convert(k, node, values[0], type_)


def _with_types(k: Lowerer, node: Node, callee: Node, given: list[Node]) -> Typed:
    """``static_cast<T>(x)`` and ``f<T, 4>(x)``."""
    name, arguments = text_of(field(callee, "name")), parts(field(callee, "arguments"))
    if name in _CASTS and len(arguments) == len(given) == 1:
        return convert(k, node, evaluate_all(k, given)[0], type_of(k, arguments[0]))
    if name == "tiled_partition" and name in groups.functions_here(k) and len(arguments) == 1:
        size = whole_number_of(k, arguments[0])
        return groups.parted(k, node, evaluate_all(k, given), size, wide=False)
    if isinstance(k.module.types.get(name), TypeTemplate):
        type_ = type_of(k, callee)
        if is_made(type_):
            return BUILDERS["structure"](k, node, type_, given, is_list=False)
        if given:
            raise k.refuse(node, f"`{type_}` is not made like this here", f"`{type_}{{...}}`")
        return Typed(type_, zero(k, type_))
    if name in ("min", "max") and len(arguments) == 1:
        type_ = type_of(k, arguments[0])
        values = [convert(k, node, value, type_) for value in evaluate_all(k, given)]
        return functions.FUNCTIONS[name](k, node, values)
    raise k.refuse(node, f"the function `{name}` is not covered")
