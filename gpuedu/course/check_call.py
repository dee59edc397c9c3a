"""The call of ``check`` that a check cell ends in."""

from __future__ import annotations

import ast


def check_arguments(cell_text: str) -> tuple[str, list[ast.expr]] | None:
    """Exercise id and answers of a check cell's last expression; None if it prints no number."""
    try:
        body = ast.parse(cell_text).body
    except SyntaxError:
        return None
    if not body or not isinstance(body[-1], ast.Expr) or cell_text.rstrip().endswith(";"):
        return None
    call = body[-1].value
    if (
        not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Name)
        or call.func.id != "check"
        or not call.args
        or not isinstance(call.args[0], ast.Constant)
    ):
        return None
    return str(call.args[0].value), call.args[1:]
