"""Structures, enumerations and the names declared outside of functions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gpuedu.errors import KernelSourceError
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.declarations import (
    UnknownTypeError,
    declarators,
    declare,
    is_const,
    specified,
    type_node,
)
from gpuedu.simt.cuda_c.dispatch import evaluate
from gpuedu.simt.cuda_c.lowerer import Binding, Fixed, known
from gpuedu.simt.cuda_c.module import Module
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import field, parts, text_of
from gpuedu.simt.cuda_c.types import INT, CType, Number, Struct
from gpuedu.simt.cuda_c.whole_numbers import reader, whole_number_of


def extent_reader(module: Module) -> Callable[[Node], int]:
    """What reads an array's extent outside of functions."""
    return lambda node: _whole_number(module, node)


def _whole_number(module: Module, node: Node) -> int:
    """An extent outside of functions.

    Raises:
        KernelSourceError: It is no integer, or not known yet.
    """
    lowerer = reader(module, node)
    lowerer.frames[-1].scopes[-1].update(_constants_so_far(module))
    return whole_number_of(lowerer, node)


def _constants_so_far(module: Module) -> dict[str, Binding]:
    """The constants that were read already, while the rest of the source is not yet."""
    found: dict[str, Binding] = {}
    for declaration, part in module.constants:
        plain = part.type == "init_declarator" and field(part, "declarator").type == "identifier"
        alone = len(declaration.children_by_field_name("declarator")) == 1
        if not (plain and alone):  # an array's extent would ask here again
            continue
        k = reader(module, part)
        k.frames[-1].scopes[-1] = found
        with suppress(KernelSourceError):  # told where it is bound
            (made,) = read_declaration(module, declaration)
            if made.value is None or not isinstance(made.type, Number):
                continue
            value = convert(k, made.value, evaluate(k, made.value), made.type)
            if known(value) is not None:
                found[made.name] = Fixed(value)
    return found


def read_struct(module: Module, node: Node) -> Struct:
    """Enter a structure; its members are numbers, structures and arrays of those."""
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    name = "a structure" if name_node is None else text_of(name_node)
    if body is None:
        found = module.types.get(name)
        if not isinstance(found, Struct):
            raise module.refuse(node, f"the structure `{name}` is not defined")
        return found
    fields: list[tuple[str, CType]] = []
    for part in parts(node):
        if part.type == "base_class_clause":
            raise module.refuse(
                part, f"`{name}` inherits, which is not covered", "list all members"
            )
    for part in parts(body):
        _refuse_layout(module, part)
        if part.type != "field_declaration" or part.child_by_field_name("default_value"):
            raise module.refuse(
                part,
                "a structure has only members here: no functions, constructors or defaults",
                "write a `__device__` function that takes the structure",
            )
        fields += [(made.name, made.type) for made in read_declaration(module, part)]
    struct = Struct(name, tuple(fields), alignment_told(module, node))
    module.types[name] = struct
    return struct


def _refuse_layout(module: Module, part: Node) -> None:
    """Refuse members that lie elsewhere than where their types tell."""
    if any(inner.type == "bitfield_clause" for inner in parts(part)):
        raise module.refuse(part, "a member of single bits is not covered", "use `&` and `>>`")
    if part.type == "field_declaration" and alignment_told(module, part):
        raise module.refuse(part, "a member with an alignment of its own is not covered")


def alignment_told(module: Module, node: Node) -> int:
    """The bytes of ``alignas(...)`` or ``__align__(...)`` in a declaration; 0 if none is told."""
    found = [node.named_children, *(child.named_children for child in node.named_children)]
    for part in (part for listed in found for part in listed):
        if part.type == "alignas_qualifier" and part.parent in (node, *_qualifiers(node)):
            return extent_reader(module)(parts(part)[0])
    return 0


def _qualifiers(node: Node) -> list[Node]:
    return [part for part in node.named_children if part.type == "type_qualifier"]


def read_enum(module: Module, node: Node) -> CType:
    """Enter an enumeration, whose type is that of its values: int if no other is told."""
    name, base = node.child_by_field_name("name"), node.child_by_field_name("base")
    type_: CType = INT
    if base is not None:
        type_ = specified(base, module.types.get, extent_reader(module))
    if name is not None:
        type_ = module.types.setdefault(text_of(name), type_)
    if node.child_by_field_name("body") is not None and node not in module.enums:
        module.enums.append(node)
    return type_


def read_declaration(module: Module, node: Node) -> list[Any]:
    """The names of a declaration at the top of the source or in a structure, with their types."""
    specifier = type_node(node)
    assert specifier is not None
    try:
        if specifier.type == "struct_specifier":
            base: CType = read_struct(module, specifier)
        elif specifier.type == "enum_specifier":
            base = read_enum(module, specifier)
        else:
            base = specified(specifier, module.types.get, extent_reader(module))
        return [
            declare(part, base, is_const(node), extent_reader(module)) for part in declarators(node)
        ]
    except UnknownTypeError as fault:
        raise module.refuse(fault.args[0], fault.told) from None
