"""Functions inside of kernels: of what they capture, Numba takes constants only."""

from __future__ import annotations

import ast
import functools
from types import ModuleType
from typing import Any

_MAKER = "_create_function_from_code_obj"


def keep_to_constants(passes: ModuleType) -> None:
    """Let Numba make a function of a nested one only if what that captures is written literally.

    For a nested function that it cannot inline, Numba writes a text with the values of captured
    variables and defaults in it, and has Python run that. The value of a str stands there without
    quotes, so that it would be run as well.

    Args:
        passes: Numba's module ``core.ir_utils``, for the CPU or for CUDA.
    """
    make = getattr(passes, _MAKER)
    if hasattr(make, "__wrapped__"):
        return

    @functools.wraps(make)
    def make_of_constants(code: Any, captured: str, arguments: str, *others: Any) -> Any:
        if not _is_literal(captured, arguments):
            raise ValueError(
                f"the nested function `{code.co_name}` captures, or has as a default, something "
                "that is no plain number: pass it as an argument"
            )
        return make(code, captured, arguments, *others)

    setattr(passes, _MAKER, make_of_constants)


def _is_literal(captured: str, arguments: str) -> bool:
    r"""Whether a text assigns literals to names, and has arguments with literal defaults.

    >>> _is_literal("\tc_0 = 1.5\n\tc_1 = -2", "x, y = 3"), _is_literal("\tc_0 = print(1)", "x")
    (True, False)
    >>> _is_literal("\tc_0 = 1\n\timport os", "x"), _is_literal("", "x = (f := 1)")
    (False, False)
    """
    try:
        (outer,) = ast.parse(f"def outer():\n{captured}\n\tdef inner({arguments}): pass").body
        *assignments, inner = outer.body  # type: ignore[attr-defined]
        for one in assignments:
            (target,) = one.targets
            if type(one) is not ast.Assign or type(target) is not ast.Name:
                return False
            ast.literal_eval(one.value)
        for default in (*inner.args.defaults, *filter(None, inner.args.kw_defaults)):
            ast.literal_eval(default)
    except (SyntaxError, ValueError, AttributeError, TypeError, RecursionError, MemoryError):
        return False
    has_types = any(one.annotation for one in ast.walk(inner) if isinstance(one, ast.arg))
    is_plain = len(inner.body) == 1 and inner.returns is None and not inner.decorator_list
    return is_plain and not has_types
