"""Expressions and statements by their kinds: a module asks here for what another one lowers.

An expression may hold any other, and a statement any expression: so the modules that lower them
enter their handlers in tables, and ``compile`` imports them all.
"""

from __future__ import annotations

import ast

from gpuedu.simt.handlers import Handlers
from gpuedu.simt.joins import UnreachableError
from gpuedu.simt.python.definite import is_flag
from gpuedu.simt.python.lowerer import Lowerer
from gpuedu.simt.values import Value

EXPRESSIONS = Handlers()
"""``handler(lowerer, node)`` gives the value of an expression."""
STATEMENTS = Handlers()
"""``handler(lowerer, node)`` lowers a statement."""


def evaluate(k: Lowerer, node: ast.expr) -> Value:
    """The value of an expression."""
    handler = EXPRESSIONS.get(type(node))
    if handler is None:
        raise k.refuse(node, f"`{k.function.text(node)}` cannot be used in a kernel")
    return handler(k, node)


def run(k: Lowerer, statements: list[ast.stmt]) -> None:
    """Lower statements in order."""
    for node in statements:
        if k.builder.names is None:
            return
        try:
            _run(k, node)
        except UnreachableError:
            k.builder.names = None


def _run(k: Lowerer, node: ast.stmt) -> None:
    if not isinstance(node, ast.While | ast.Pass) and not is_flag(node):
        k.builder.mark(k.function.place(node))
    handler = STATEMENTS.get(type(node))
    if handler is None:
        raise k.refuse(node, f"`{type(node).__name__.lower()}` cannot be used in a kernel")
    handler(k, node)
