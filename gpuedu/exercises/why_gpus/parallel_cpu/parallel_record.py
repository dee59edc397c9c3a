"""Reads Numba's own record of a compiled function: the loops that run on all cores.

Time would not tell (a machine may have one core, or be busy), so the compiler is asked: with
``parallel=True`` it keeps every loop that it turned into a parallel one, with its body. The record
is Numba's own and not part of its documented interface; where it is missing, nothing is parallel.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.why_gpus.parallel_cpu.serial_walk import calls_compiled, walks_alone


def record_of(function: Any, arrays: Sequence[Any] | None = ()) -> dict[str, Any]:
    """Plain facts about the learner's function, after it was compiled.

    Args:
        function: the learner's.
        arrays: ``x``, ``y`` and ``out`` as before the call; see ``walks_alone``, which is not asked
            where they are None.

    Returns:
        ``compiled``: whether it is one of Numba's compiled functions; ``asked``: whether it was
        compiled with ``parallel=True``; ``loops``: how many loops Numba made parallel;
        ``loops_over_x``: how many of them read the second argument in more than one step;
        ``empty_loops``: how many are left without a body, since nothing of theirs is used;
        ``alone``: whether one core walks over the elements beside them; ``helper``: whether it
        calls a compiled function.
    """
    found = dict.fromkeys(("loops", "loops_over_x", "empty_loops"), 0)
    options = getattr(function, "targetoptions", None)
    if options is None or not hasattr(function, "overloads"):
        helper = calls_compiled(function)
        return {"compiled": False, "asked": False, "alone": False, "helper": helper, **found}
    code = function.py_func.__code__
    x = code.co_varnames[1 if code.co_argcount > 1 else 0]  # with *arguments, all of them
    for result in function.overloads.values():
        diagnostics = result.metadata.get("parfor_diagnostics")
        loops = getattr(diagnostics, "initial_parfors", None) or []
        ir = getattr(diagnostics, "func_ir", None)
        found["loops"] += len(loops)
        names = _parts_of(x, ir)
        found["loops_over_x"] += sum(
            _reads(loop, names) and not _has_one_step(loop, ir) for loop in loops
        )
        found["empty_loops"] += sum(not _statements(loop) for loop in loops)
    asked = bool(options.get("parallel"))
    is_asked = bool(found["loops_over_x"]) and arrays is not None
    alone = is_asked and walks_alone(function, arrays)
    helper = calls_compiled(function.py_func)
    return {"compiled": True, "asked": asked, "alone": alone, "helper": helper, **found}


def _statements(loop: Any) -> list[Any]:
    return [statement for block in loop.loop_body.values() for statement in block.body]


def _parts_of(name: str, ir: Any) -> set[str]:
    """The variables that hold an array, a version of it (``x.1``) or a part (``x[a:b]``)."""
    from numba.core import ir as numba_ir

    version = re.compile(rf"{re.escape(_plain(name))}(_\d+)*")
    blocks = ir.blocks.values() if ir is not None else ()
    assigned = [part for block in blocks for part in block.find_insts(numba_ir.Assign)]
    targets = {_plain(part.target.name) for part in assigned}
    found = {_plain(name)} | {target for target in targets if version.fullmatch(target)}
    for part in assigned * 3:  # a part of a part of a part
        source = part.value
        if isinstance(source, numba_ir.Expr) and source.op in ("getitem", "static_getitem"):
            source = source.value
        if isinstance(source, numba_ir.Var) and _plain(source.name) in found:
            found.add(_plain(part.target.name))
    return found


def _plain(name: str) -> str:
    """A variable's name without the signs that Numba writes in one way here, in another there."""
    return re.sub(r"[\W_]+", "_", name).strip("_")


def _reads(loop: Any, names: set[str]) -> bool:
    """True if a loop's body uses one of these variables, or a version of one."""
    used = {_plain(variable.name) for part in _statements(loop) for variable in part.list_vars()}
    return bool(names & (used | {re.sub(r"(_\d+)+$", "", name) for name in used}))


def _has_one_step(loop: Any, ir: Any) -> bool:
    """True if every dimension of a loop ends at a constant 0 or 1: parallel in name only."""
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
