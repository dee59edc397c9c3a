"""A loop over a range: for ``for``, and for anything that goes over all elements of an array."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from gpuedu.simt.program import Branch, Expression, Loop
from gpuedu.simt.python.lowerer import Lowerer
from gpuedu.simt.values import Scalar


def over_range(
    k: Lowerer,
    node: ast.AST,
    bounds: tuple[Expression, Expression, Expression],
    step: Callable[[Scalar], None],
    carried: Iterable[str],
) -> None:
    """A counted loop; ``step`` lowers the body for an index."""
    start, stop, stride = (k.builder.keep(bound) for bound in bounds)
    place = k.function.place(node)
    text = k.function.text(node.iter) if isinstance(node, ast.For) else k.function.text(node)

    def lower(loop: Loop) -> None:
        index = k.builder.slot("i", start.dtype)
        loop.span = (index, start, stop, stride)
        loop.branch = k.tables.add("branches", Branch(place, text))
        with k.builder.lowering(loop.body):
            step(Scalar(index))

    k.at(node, k.builder.loop, lower, carried, place)
