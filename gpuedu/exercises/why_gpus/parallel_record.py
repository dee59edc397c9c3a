"""What Numba itself recorded about a compiled function: which loops run on all cores.

Time would not tell (a machine may have one core, or be busy), so the compiler is asked: with
``parallel=True`` it keeps every loop that it turned into a parallel one, with its body. The record
is Numba's own and not part of its documented interface; where it is missing, nothing is parallel.
"""

from __future__ import annotations

import re
from typing import Any


def record_of(function: Any) -> dict[str, Any]:
    """Plain facts about the learner's function, after it was called.

    Returns:
        ``compiled``: whether it is one of Numba's compiled functions; ``asked``: whether it was
        compiled with ``parallel=True``; ``loops``: how many loops Numba made parallel;
        ``loops_over_x``: how many of them read the second argument in more than one step.
    """
    options = getattr(function, "targetoptions", None)
    if options is None or not hasattr(function, "overloads"):
        return {"compiled": False, "asked": False, "loops": 0, "loops_over_x": 0}
    code = function.py_func.__code__
    x = code.co_varnames[1 if code.co_argcount > 1 else 0]  # with *arguments, all of them
    loops = over_x = 0
    for result in function.overloads.values():
        diagnostics = result.metadata.get("parfor_diagnostics")
        found = getattr(diagnostics, "initial_parfors", None) or []
        loops += len(found)
        ir = getattr(diagnostics, "func_ir", None)
        over_x += sum(_reads(loop, x) and not _has_one_step(loop, ir) for loop in found)
    asked = bool(options.get("parallel"))
    return {"compiled": True, "asked": asked, "loops": loops, "loops_over_x": over_x}


def _reads(loop: Any, name: str) -> bool:
    """Whether a loop's body has the variable, or a version of it (``x.1``, ``x_1``)."""
    version = re.compile(rf"{re.escape(name)}(_\d+)?(\.\d+)*")
    statements = (statement for block in loop.loop_body.values() for statement in block.body)
    used = (variable.name for statement in statements for variable in statement.list_vars())
    return any(version.fullmatch(variable) for variable in used)


def _has_one_step(loop: Any, ir: Any) -> bool:
    """Whether every dimension of a loop ends at a constant 0 or 1: parallel in name only."""
    return all(_constant(nest.stop, ir) in (0, 1) for nest in loop.loop_nests)


def _constant(bound: Any, ir: Any) -> int | None:
    """The bound of a loop where the compiler knows it, else None."""
    from numba.core import ir as numba_ir
    from numba.core.ir_utils import get_definition, guard

    if isinstance(bound, numba_ir.Var) and ir is not None:
        bound = guard(get_definition, ir, bound)
    if isinstance(bound, numba_ir.Const):
        bound = bound.value
    return bound if isinstance(bound, int) else None
