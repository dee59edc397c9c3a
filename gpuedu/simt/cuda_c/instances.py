"""Instances of kernel templates, by names such as ``"scale<float, 4>"``."""

from __future__ import annotations

from gpuedu.simt.builder import Builder
from gpuedu.simt.cuda_c.lowerer import Binding, Frame, Lowerer
from gpuedu.simt.cuda_c.module import Function, Module
from gpuedu.simt.cuda_c.parameters import template_scope
from gpuedu.simt.cuda_c.syntax import field, parse, parts, walk
from gpuedu.simt.cuda_c.types import VOID
from gpuedu.simt.tables import Tables


def template_arguments(name: str) -> tuple[str, str]:
    """The plain name of a kernel, and what is between ``<`` and ``>``.

    >>> template_arguments("scale<float, 4>")
    ('scale', 'float, 4')
    """
    plain, _, rest = name.partition("<")
    return plain.strip(), rest.rpartition(">")[0].strip()


def scope_of(module: Module, function: Function, arguments: str) -> dict[str, Binding]:
    """What the template parameters of a kernel stand for in an instance."""
    tables = Tables()
    k = Lowerer(Builder(tables), tables, module)
    k.frames.append(Frame(function, [{}], VOID))
    if not function.template:
        if arguments:
            raise k.refuse(function.node, f"`{function.name}` is not a template")
        return {}
    root = parse(f"using Instance = instance<{arguments}>;")  # where `<` can only open a list
    named = next(node for node in walk(root) if node.type == "template_type")
    given = parts(field(named, "arguments")) if arguments else []
    return template_scope(k, function.node, function, given, [])
