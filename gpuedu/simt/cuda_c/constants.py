"""Numbers known before any kernel is compiled: extents, enumerators, ``constexpr`` variables."""

from __future__ import annotations

from gpuedu.errors import KernelSourceError
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.declarations import declare_name
from gpuedu.simt.cuda_c.dispatch import evaluate
from gpuedu.simt.cuda_c.fragments import HEADER, IN_MEMORY
from gpuedu.simt.cuda_c.lowerer import Fixed, Lowerer, constant, known
from gpuedu.simt.cuda_c.module import Module
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.preprocess import includes
from gpuedu.simt.cuda_c.structures import read_declaration
from gpuedu.simt.cuda_c.syntax import field, parts, text_of
from gpuedu.simt.cuda_c.types import INT, Number
from gpuedu.simt.cuda_c.whole_numbers import reader, whole_number_of


def bind_constants(module: Module) -> None:
    """Enter the enumerators and constants of a module, once."""
    if module.is_bound:
        return
    module.is_bound = True
    if includes(module.code, HEADER):
        for name, value in IN_MEMORY.items():
            module.bindings[name] = Fixed(constant(INT, value))
    for node in module.enums:
        try:
            enumerators(reader(module, node), node, module.bindings)
        except KernelSourceError as fault:  # told where a kernel comes to one of them
            for part in parts(field(node, "body")):
                module.refused.setdefault(text_of(field(part, "name")), fault)
    for declaration, part in module.constants:
        try:
            _bind_constant(module, declaration, part)
        except KernelSourceError as fault:  # told where a kernel comes to it
            module.refused.setdefault(declare_name(part), fault)


def _bind_constant(module: Module, declaration: Node, part: Node) -> None:
    k = reader(module, part)
    for made in read_declaration(module, declaration):
        if made.value is None or not isinstance(made.type, Number) or made.node.parent != part:
            continue
        value = convert(k, made.value, evaluate(k, made.value), made.type)
        if known(value) is None:
            raise k.refuse(made.value, f"`{made.name}` must be known when it is compiled")
        module.bindings[made.name] = Fixed(value)


def enumerators(k: Lowerer, node: Node, into: dict) -> None:
    """The enumerators of an ``enum``, which count from 0 or go on from the last value."""
    following = 0
    name = node.child_by_field_name("name")
    is_scoped = any(child.type in ("class", "struct") for child in node.children)
    prefix = f"{text_of(name)}::" if is_scoped and name is not None else ""
    for part in parts(field(node, "body")):
        given = part.child_by_field_name("value")
        value = following if given is None else whole_number_of(k, given)
        into[prefix + text_of(field(part, "name"))] = Fixed(constant(INT, value))
        following = value + 1
