"""What a kernel may trip over in Triton's compiler with no good message from the compiler.

Triton accepts some of it: a value that is never used, a `return` that is never reached. So this is
asked only after a kernel was refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

_WITHOUT_VALUE = frozenset({"assume", "debug_barrier", "device_assert", "static_assert", "store"})
"""What is called for what it does, and gives no value."""


@dataclass(frozen=True)
class Suspicion:
    """A line of the text that a kernel is in, what it does there, and what to do instead."""

    line: int
    told: str
    remedy: str

    def __str__(self) -> str:
        return f"Look at line {self.line}: {self.told}. {self.remedy}"


def suspicion(functions: Iterable[ast.FunctionDef]) -> Suspicion | None:
    """The first one of a kernel and of what it calls."""
    for function in functions:
        found = without_value([function]) or _returned_from(function, is_loop=False)
        if found is not None:
            return found
    return None


def without_value(functions: Iterable[ast.AST]) -> Suspicion | None:
    r"""Where what ``tl.store`` or the like returns is used as a value.

    >>> kernel = ast.parse("def f(x):\n    y = tl.store(x, 1)\n    tl.store(x, y)")
    >>> without_value([kernel]).told
    '`tl.store` returns no value'
    """
    for node in (one for function in functions for one in ast.walk(function)):
        if isinstance(node, ast.Expr):
            continue
        for one in ast.iter_child_nodes(node):
            call = one.func if isinstance(one, ast.Call) else None
            if isinstance(call, ast.Attribute) and call.attr in _WITHOUT_VALUE:
                told = f"`{ast.unparse(call)}` returns no value"
                return Suspicion(one.lineno, told, "Put it on a line of its own.")
    return None


def _returned_from(node: ast.AST, *, is_loop: bool) -> Suspicion | None:
    """A `return` in a loop, but for ``tl.static_range``, whose turns are lines of their own."""
    if is_loop and isinstance(node, ast.Return):
        remedy = "Compute where the loop ends, or put an `if` around the rest of its lines."
        return Suspicion(node.lineno, "a `return` in a loop", remedy)
    is_static = isinstance(node, ast.For) and ast.unparse(node.iter).startswith("tl.static_range(")
    is_loop = is_loop or (isinstance(node, ast.For | ast.While) and not is_static)
    inner = (_returned_from(one, is_loop=is_loop) for one in ast.iter_child_nodes(node))
    return next((one for one in inner if one is not None), None)
