"""Which place an expression names: what can be on the left of ``=``."""

from __future__ import annotations

from gpuedu.simt.cuda_c import methods
from gpuedu.simt.cuda_c.conversions import index_of
from gpuedu.simt.cuda_c.dispatch import PLACES, evaluate, place_of
from gpuedu.simt.cuda_c.fragments import Fragment
from gpuedu.simt.cuda_c.lowerer import Fixed, Lowerer, Memory, constant, member
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.operators import moved
from gpuedu.simt.cuda_c.places import (
    Element,
    Member,
    PlaceOf,
    Row,
    Temporary,
    decay,
    dereference,
    named,
    named_place,
)
from gpuedu.simt.cuda_c.reinterpretation import reinterpreted
from gpuedu.simt.cuda_c.syntax import bare, field, operator_of, parts, short, text_of
from gpuedu.simt.cuda_c.types import INT, ArrayOf, Pointer, Struct, dimensions
from gpuedu.simt.cuda_c.views import array_member


@PLACES.enter("identifier")
def _variable(k: Lowerer, node: Node) -> PlaceOf | None:
    return named_place(k, text_of(node))


@PLACES.enter("qualified_identifier")
def _qualified(k: Lowerer, node: Node) -> PlaceOf | None:
    """Names of all namespaces are told apart by themselves alone."""
    return named_place(k, text_of(node).rpartition("::")[2])


@PLACES.enter("this")
def _object(k: Lowerer, node: Node) -> PlaceOf:
    """The object whose function this is, for ``this->x`` and ``*this``."""
    if k.frame.this is None:
        raise k.refuse(node, "`this` is used outside a structure")
    above = node.parent
    while above is not None and above.type == "parenthesized_expression":
        above = above.parent
    if above is None or above.type not in ("field_expression", "pointer_expression"):
        raise k.refuse(node, "`this` as a pointer is not covered", "`*this`, `this->x`")
    return named(k.frame.this)


@PLACES.enter("pointer_expression")
def _target(k: Lowerer, node: Node) -> PlaceOf | None:
    """``*p``; the value of ``&a`` has no place."""
    if operator_of(node) != "*":
        return None
    if bare(field(node, "argument")).type == "this":
        return place_of(k, bare(field(node, "argument")))
    same = reinterpreted(k, node)
    if same:
        return Temporary(same)
    return dereference(k, node, evaluate(k, field(node, "argument")))


@PLACES.enter("subscript_expression")
def _subscript(k: Lowerer, node: Node) -> PlaceOf:
    """``a[i]``, ``a[i][j]``; an array with all its indices is read in its own dimensions."""
    if "operator[]" in k.module.methods:
        made = methods.operator(k, node, "[]", field(node, "argument"), _index_node(k, node))
        if made is not None:
            return made
    chain: list[Node] = []
    root = node
    while root.type == "subscript_expression":
        chain.insert(0, _index_node(k, root))
        root = bare(field(root, "argument"))
    found = k.find(text_of(root)) if root.type == "identifier" else None
    if isinstance(found, Memory) and not found.is_scalar:
        inner, extents = dimensions(found.type)
        if len(chain) == len(extents) and not isinstance(inner, Pointer):
            index = tuple(index_of(k, part, evaluate(k, part)) for part in chain)
            return Element(found.slot, index, inner, found.slot.type.readonly)
    pointer = decay(k, node, evaluate(k, field(node, "argument")))
    at = _index_node(k, node)
    return dereference(k, node, moved(pointer, index_of(k, at, evaluate(k, at))))


def _index_node(k: Lowerer, node: Node) -> Node:
    indices = parts(field(node, "indices"))
    if len(indices) != 1:
        raise k.refuse(
            node,
            f"`{short(node)}` needs one index in each pair of brackets",
            "behind a pointer, rows are stored one after another: `x[row * columns + column]`",
        )
    return indices[0]


@PLACES.enter("field_expression")
def _member(k: Lowerer, node: Node) -> PlaceOf | None:
    """``a.x`` and ``p->x``; None for the built-in index variables."""
    name = text_of(field(node, "field"))
    argument = field(node, "argument")
    if argument.type == "this":
        base: PlaceOf = place_of(k, argument)
    elif operator_of(node) == "->":
        base = dereference(k, node, evaluate(k, argument))
    else:
        if argument.type == "identifier" and k.find(text_of(argument)) is None:
            return None
        base = place_of(k, argument)
    type_ = base.type
    if not isinstance(type_, Struct):
        raise k.refuse(node, f"`{short(argument)}` is `{type_}`, which has no members")
    if isinstance(type_, Fragment) and name == "num_elements":
        return Temporary(constant(INT, type_.length))
    inner = type_.type_of(name)
    static = type_.members.scope.get(name) if type_.members is not None else None
    if inner is None and isinstance(static, Fixed):
        return Temporary(static.value)
    if inner is None:
        known = ", ".join(f"`{field_name}`" for field_name, _ in type_.fields)
        raise k.refuse(node, f"`{type_}` has no member `{name}`", f"it has {known}")
    if isinstance(base, Temporary):
        return Temporary(member(base.typed, name))
    assert not isinstance(base, Row)
    made = Member(base, name, inner)
    if isinstance(inner, ArrayOf):
        return array_member(k, made)
    return made
