"""Find out whether an answer runs compiled code, which no time limit inside a process can end."""

from __future__ import annotations

import inspect
from typing import Any

_DEPTH = 4


def runs_compiled_code(answer: Any) -> bool:
    """Whether an answer is compiled by Numba, or calls a function that is.

    Only names that its code refers to are followed, a few calls deep.

    >>> runs_compiled_code(len), runs_compiled_code({"a": 1})
    (False, False)
    """
    return _reaches_compiled(answer, _DEPTH, set())


def _reaches_compiled(thing: Any, depth: int, seen: set[int]) -> bool:
    if id(thing) in seen or depth < 0:
        return False
    seen.add(id(thing))
    home = type(thing).__module__
    if home.startswith("numba.cuda"):
        return False  # a kernel: checks run its source on the SIMT machine
    if home.startswith("numba") and hasattr(thing, "py_func"):
        return True
    if not inspect.isfunction(thing):
        return False
    used = inspect.getclosurevars(thing)
    return any(
        _reaches_compiled(value, depth - 1, seen)
        for value in (*used.globals.values(), *used.nonlocals.values())
    )
