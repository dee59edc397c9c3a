"""Which type a name or a description of a type stands for, where it is used."""

from __future__ import annotations

from gpuedu.simt.cuda_c.declarations import UnknownTypeError, described, specified
from gpuedu.simt.cuda_c.fragments import Fragment
from gpuedu.simt.cuda_c.lowerer import Fixed, Lowerer, Typed, TypeName
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import field, text_of
from gpuedu.simt.cuda_c.types import CType, Struct
from gpuedu.simt.cuda_c.whole_numbers import whole_number_of


def type_of(k: Lowerer, node: Node) -> CType:
    """The type that a node names, where it is used."""

    def names(name: str) -> CType | None:
        return type_named(k, name)

    try:
        if node.type == "type_descriptor":
            return described(node, names, lambda size: whole_number_of(k, size))
        return specified(node, names, lambda size: whole_number_of(k, size))
    except UnknownTypeError as fault:
        raise k.refuse(fault.args[0], fault.told) from None


def type_named(k: Lowerer, name: str) -> CType | None:
    """What a type name stands for here; None if it is not one."""
    found = k.find(name) if k.frames else None
    if isinstance(found, TypeName):
        return found.type
    return None if found is not None else k.module.types.get(name)


def static_constant(k: Lowerer, node: Node) -> Typed | None:
    """``S::size``, a constant of a structure; None for other names."""
    owner, name = owner_of(k, node)
    if owner is None or owner.members is None:
        return None
    found = owner.members.scope.get(text_of(name))
    return found.value if isinstance(found, Fixed) else None


def owner_of(k: Lowerer, node: Node) -> tuple[Struct | None, Node]:
    """The structure that ``S::name`` names a member of, if it is one, and the name itself."""
    scope, name = node.child_by_field_name("scope"), field(node, "name")
    while name.type == "qualified_identifier":
        scope, name = name.child_by_field_name("scope"), field(name, "name")
    if scope is None:
        return None, name
    owner = type_of(k, scope) if scope.type == "template_type" else type_named(k, text_of(scope))
    return (owner if isinstance(owner, Struct) else None), name


def num_elements(k: Lowerer, node: Node) -> int | None:
    """``Sums::num_elements`` and ``decltype(sums)::num_elements``; None for other names."""
    scope, _, name = text_of(node).rpartition("::")
    if name != "num_elements":
        return None
    inner = scope.removeprefix("decltype(").rstrip(")").strip()
    variable = k.find(inner) if scope.startswith("decltype(") else None
    found = getattr(variable, "type", None) or type_named(k, inner.rpartition("::")[2])
    return found.length if isinstance(found, Fragment) else None
