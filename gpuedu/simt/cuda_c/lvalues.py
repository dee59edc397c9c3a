"""Which place an expression names: what can stand on the left of ``=``."""

from __future__ import annotations

from gpuedu.simt.cuda_c.conversions import index_of
from gpuedu.simt.cuda_c.expressions import evaluate, evaluate_value
from gpuedu.simt.cuda_c.fragments import Fragment
from gpuedu.simt.cuda_c.lowerer import Lowerer, Memory, constant, member
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
    named_place,
)
from gpuedu.simt.cuda_c.reinterpretation import reinterpreted
from gpuedu.simt.cuda_c.syntax import bare, field, operator_of, parts, short, text_of
from gpuedu.simt.cuda_c.types import INT, ArrayOf, Struct, dimensions
from gpuedu.simt.cuda_c.views import array_member


def place_of(k: Lowerer, node: Node) -> PlaceOf:
    """The place that an expression names; a plain value where it names none."""
    from gpuedu.simt.cuda_c.assignments import assignment, step

    node = bare(node)
    match node.type:
        case "identifier":
            found = named_place(k, text_of(node))
            if found is not None:
                return found
        case "qualified_identifier":  # names of all namespaces are told apart by themselves alone
            found = named_place(k, text_of(node).rpartition("::")[2])
            if found is not None:
                return found
        case "subscript_expression":
            return _subscript(k, node)
        case "pointer_expression" if operator_of(node) == "*" and (same := reinterpreted(k, node)):
            return Temporary(same)
        case "pointer_expression" if operator_of(node) == "*":
            return dereference(k, node, evaluate(k, field(node, "argument")))
        case "field_expression":
            found = _member(k, node)
            if found is not None:
                return found
        case "update_expression" if text_of(node.children[0]) in ("++", "--"):
            return step(k, node)[0]
        case "assignment_expression":
            return assignment(k, node)
    return Temporary(evaluate_value(k, node))


def _subscript(k: Lowerer, node: Node) -> PlaceOf:
    """``a[i]``, ``a[i][j]``; an array with all its indices is read in its own dimensions."""
    chain: list[Node] = []
    root = node
    while root.type == "subscript_expression":
        chain.insert(0, _index_node(k, root))
        root = bare(field(root, "argument"))
    found = k.find(text_of(root)) if root.type == "identifier" else None
    if isinstance(found, Memory) and not found.is_scalar:
        inner, extents = dimensions(found.type)
        if len(chain) == len(extents):
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
            "behind a pointer, rows lie one after the other: `x[row * columns + column]`",
        )
    return indices[0]


def _member(k: Lowerer, node: Node) -> PlaceOf | None:
    """``a.x`` and ``p->x``; None for the built-in index variables."""
    name = text_of(field(node, "field"))
    argument = field(node, "argument")
    if operator_of(node) == "->":
        base: PlaceOf = dereference(k, node, evaluate(k, argument))
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
