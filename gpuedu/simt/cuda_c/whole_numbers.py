"""Integers that must be known when a kernel is compiled, such as extents."""

from __future__ import annotations

from gpuedu.simt.builder import Builder
from gpuedu.simt.cuda_c.dispatch import evaluate
from gpuedu.simt.cuda_c.lowerer import Frame, Lowerer, known
from gpuedu.simt.cuda_c.module import Function, Module
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import text_of
from gpuedu.simt.cuda_c.types import VOID
from gpuedu.simt.tables import Tables
from gpuedu.trace import CUDA_C, Source


def reader(module: Module, node: Node) -> Lowerer:
    """A lowerer for expressions outside functions."""
    tables = Tables()
    lowerer = Lowerer(Builder(tables), tables, module)
    outside = Function("the source", node, Source("the source", CUDA_C, 1, module.code), False)
    lowerer.frames.append(Frame(outside, [{}], VOID))
    return lowerer


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
