"""What a piece of source may change: the variables that a loop carries around."""

from __future__ import annotations

from gpuedu.simt.cuda_c.lowerer import Alias, Lambda, Lowerer, Method, Variable
from gpuedu.simt.cuda_c.module import Function, declarator_of
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.parameters import is_reference
from gpuedu.simt.cuda_c.places import Local, Member
from gpuedu.simt.cuda_c.syntax import (
    addressed,
    bare,
    copied_by,
    field,
    operator_of,
    parts,
    text_of,
    walk,
    within_namespaces,
)
from gpuedu.simt.cuda_c.types import Struct
from gpuedu.simt.cuda_c.variables import flag_of

_STEPS = frozenset({"update_expression", "unary_expression"})
_ELEMENT = "[]"
"""Behind a name of which an element is assigned: it changes if that is an operator of its own."""
_ASSIGNS = frozenset({"assignment_expression", "update_expression"})


def carried_names(k: Lowerer, node: Node) -> list[str]:
    """The variables from outside a loop that it may change."""
    names = k.builder.names
    if names is None:
        return []
    found: dict[str, None] = {}
    for part in walk(node):
        for name in changed_names(k, part):
            _enter(k, name, found)
    return [key for key in found if key in names]


def _enter(k: Lowerer, name: str, found: dict[str, None]) -> None:
    is_element, name = name.endswith(_ELEMENT), name.removesuffix(_ELEMENT)
    if name == "this":
        place = None if k.frame.this is None else Alias(k.frame.this)
    else:
        place = k.find(name) if name else None
    variable = place if isinstance(place, Variable) else None
    if isinstance(place, Alias):
        target = place.place
        while isinstance(target, Member):
            target = target.base
        variable = target.variable if isinstance(target, Local) else None
    if is_element and variable is not None and not isinstance(variable.type, Struct):
        return
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
        callee = bare(field(node, "function"))
        called = k.find(text_of(callee)) if callee.type == "identifier" else None
        if isinstance(called, Lambda):
            inner = [name for part in walk(called.function.body) for name in changed_names(k, part)]
            return [*inner, *(_root(part) for part in parts(field(node, "arguments")))]
        return [*_changed_by_call(k, node), *_changed_object(k, node)]
    return []


def _changed_object(k: Lowerer, node: Node) -> list[str]:
    """The object whose function is called, unless that is ``const``."""
    callee = bare(field(node, "function"))
    if callee.type == "identifier" and isinstance(k.find(text_of(callee)), Method):
        name, owner = text_of(callee), "this"
    elif callee.type == "identifier":
        name, owner = "operator()", text_of(callee)
    elif callee.type == "field_expression":
        inner = field(callee, "field")
        name = text_of(inner).partition("<")[0]
        argument = bare(field(callee, "argument"))
        owner = "this" if argument.type == "this" else _root(argument)
    else:
        return []
    functions = k.module.methods.get(name, [])
    changes = [owner] if any(not _is_constant(function) for function in functions) else []
    return changes + [
        _root(part)
        for at, part in enumerate(parts(field(node, "arguments")))
        if any(is_reference(f, at) for f in functions)
    ]


def _is_constant(function: Function) -> bool:
    """Whether a function of a structure leaves the object as it is."""
    return any(
        part.type == "type_qualifier" and text_of(part) == "const"
        for part in declarator_of(function.node).children
    )


def _changed_by_call(k: Lowerer, node: Node) -> list[str]:
    copied = copied_by(node)
    if copied:
        target = addressed(copied[0])
        return [] if target is None else [_root(target)]
    callee = within_namespaces(bare(field(node, "function")))
    if callee.type == "template_function":
        callee = field(callee, "name")
    name = text_of(callee).rpartition("::")[2]
    known = [*k.module.functions.get(name, ())]
    if "::" in text_of(callee):
        known += k.module.methods.get(name, ())
    return [
        _root(part)
        for at, part in enumerate(parts(field(node, "arguments")))
        if any(is_reference(f, at) for f in known)
    ]


def _root(node: Node) -> str:
    """The variable that an assignment to this place changes; none for a place in memory."""
    node = bare(node)
    while node.type in _STEPS or (node.type == "field_expression" and operator_of(node) == "."):
        node = bare(field(node, "argument"))
    if node.type == "subscript_expression":  # perhaps an operator of a structure
        found = _root(field(node, "argument"))
        return found and found.removesuffix(_ELEMENT) + _ELEMENT
    if node.type == "field_expression" and field(node, "argument").type == "this":
        return "this"
    if node.type == "pointer_expression" and bare(field(node, "argument")).type == "this":
        return "this"
    return text_of(node) if node.type in ("identifier", "this") else ""
