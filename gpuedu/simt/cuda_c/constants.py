"""Numbers known before any kernel is compiled: extents, enumerators, ``constexpr`` variables."""

from __future__ import annotations

from contextlib import suppress

from gpuedu.errors import KernelSourceError
from gpuedu.simt.builder import Builder
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.expressions import evaluate
from gpuedu.simt.cuda_c.fragments import HEADER, IN_MEMORY
from gpuedu.simt.cuda_c.lowerer import Binding, Fixed, Frame, Lowerer, constant, known
from gpuedu.simt.cuda_c.module import Function, Module
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.preprocess import includes
from gpuedu.simt.cuda_c.structures import read_declaration
from gpuedu.simt.cuda_c.syntax import field, parts, text_of
from gpuedu.simt.cuda_c.types import INT, VOID, Number
from gpuedu.simt.tables import Tables
from gpuedu.trace import CUDA_C, Source


def reader(module: Module, node: Node) -> Lowerer:
    """A lowerer for expressions that stand outside of functions."""
    tables = Tables()
    lowerer = Lowerer(Builder(tables), tables, module)
    outside = Function("the source", node, Source("the source", CUDA_C, 1, module.code), False)
    lowerer.frames.append(Frame(outside, [{}], VOID))
    return lowerer


def whole_number(module: Module, node: Node) -> int:
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
        (made,) = read_declaration(module, declaration)
        if made.value is None or not isinstance(made.type, Number):
            continue
        with suppress(KernelSourceError):  # told where it is bound
            value = convert(k, made.value, evaluate(k, made.value), made.type)
            if known(value) is not None:
                found[made.name] = Fixed(value)
    return found


def whole_number_of(k: Lowerer, node: Node) -> int:
    """An integer that must be known when the kernel is compiled."""
    value = known(evaluate(k, node))
    if value is None or value.dtype.kind not in "iub":
        raise k.refuse(
            node,
            f"`{text_of(node)}` must be an integer known when the kernel is compiled",
            "a number, a macro, a `constexpr int` or a template argument",
        )
    return int(value)


def bind_constants(module: Module) -> None:
    """Enter the enumerators and constants of a module, once."""
    if module.bindings:
        return
    if includes(module.code, HEADER):
        for name, value in IN_MEMORY.items():
            module.bindings[name] = Fixed(constant(INT, value))
    for node in module.enums:
        enumerators(reader(module, node), node, module.bindings)
    for declaration, part in module.constants:
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
