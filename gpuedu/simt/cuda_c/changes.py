"""What a piece of source may change: the variables that a loop carries around."""

from __future__ import annotations

from gpuedu.simt.cuda_c.lowerer import Alias, Lowerer, Variable
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.parameters import is_reference
from gpuedu.simt.cuda_c.places import Local, Member
from gpuedu.simt.cuda_c.syntax import (
    bare,
    field,
    operator_of,
    parts,
    text_of,
    walk,
    within_namespaces,
)
from gpuedu.simt.cuda_c.variables import flag_of

_STEPS = frozenset({"update_expression", "unary_expression"})
_ASSIGNS = frozenset({"assignment_expression", "update_expression"})


def carried_names(k: Lowerer, node: Node) -> list[str]:
    """The variables from outside of a loop that it may change."""
    names = k.builder.names
    if names is None:
        return []
    found: dict[str, None] = {}
    for part in walk(node):
        for name in changed_names(k, part):
            _enter(k, name, found)
    return [key for key in found if key in names]


def _enter(k: Lowerer, name: str, found: dict[str, None]) -> None:
    place = k.find(name)
    variable = place if isinstance(place, Variable) else None
    if isinstance(place, Alias):
        target = place.place
        while isinstance(target, Member):
            target = target.base
        variable = target.variable if isinstance(target, Local) else None
    if variable is not None:
        found[variable.key] = None
        found[flag_of(variable)] = None


def changed_names(k: Lowerer, node: Node) -> list[str]:
    """The names that one expression may assign."""
    if node.type == "init_declarator" and field(node, "declarator").type == "reference_declarator":
        return [_root(field(node, "value"))]
    if node.type in _ASSIGNS:
        target = node.child_by_field_name("left") or field(node, "argument")
        return [_root(target)]
    if node.type == "call_expression":
        callee = within_namespaces(bare(field(node, "function")))
        if callee.type == "template_function":
            callee = field(callee, "name")
        known = k.module.functions.get(text_of(callee).rpartition("::")[2], ())
        return [
            _root(part)
            for at, part in enumerate(parts(field(node, "arguments")))
            if any(is_reference(f, at) for f in known)
        ]
    return []


def _root(node: Node) -> str:
    """The variable that an assignment to this place changes; none for a place in memory."""
    node = bare(node)
    while node.type in _STEPS or (node.type == "field_expression" and operator_of(node) == "."):
        node = bare(field(node, "argument"))
    return text_of(node) if node.type == "identifier" else ""
