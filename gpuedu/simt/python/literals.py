"""Expressions of constants, which Python itself computes before Numba sees them.

Only those are literals to Numba: ``32 + 2`` is one, ``TILE + 2`` is not, though ``TILE`` is.
"""

from __future__ import annotations

import ast
import dis
from typing import Any

_PARTS = (ast.BinOp, ast.UnaryOp, ast.Constant, ast.Tuple, ast.operator, ast.unaryop, ast.Load)
_RETURNS_A_CONSTANT = {
    "RESUME",
    "LOAD_CONST",
    "LOAD_SMALL_INT",
    "RETURN_CONST",
    "RETURN_VALUE",
}


def folded(node: ast.expr) -> ast.Constant | None:
    """The constant that Python's compiler makes from an expression; None if it leaves it alone.

    >>> folded(ast.parse("(32 + 2) * 2", mode="eval").body).value
    68
    >>> folded(ast.parse("1 // 0", mode="eval").body), folded(ast.parse("n + 2", mode="eval").body)
    (None, None)
    """
    if not all(isinstance(part, _PARTS) for part in ast.walk(node)):
        return None
    code = list(dis.get_instructions(compile(ast.Expression(node), "", "eval")))
    if not {step.opname for step in code} <= _RETURNS_A_CONSTANT:
        return None
    (value,) = (step.argval for step in code if _has_constant(step))
    return ast.copy_location(ast.Constant(value), node)


def _has_constant(step: Any) -> bool:
    return step.opname in ("LOAD_CONST", "LOAD_SMALL_INT", "RETURN_CONST")
