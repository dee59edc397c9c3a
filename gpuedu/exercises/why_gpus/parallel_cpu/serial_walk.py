"""Finds compiled functions that walk over the elements outside of their parallel loops.

Numba's record tells which loops are parallel, not how far the others run: ``for b in range(4)``
around a ``prange`` is fine, a ``range`` over all elements beside it is not. So the function is
carried out once more by an interpreter, on arrays that note which single elements are read or
written while no ``prange`` is under way. Where that cannot be, nothing is held against it.
"""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from gpuedu.exercises.why_gpus.parallel_cpu.interpreter import Interpreter

_ELEMENTS = 20_011
"""More than a remainder that a chunk of any sensible size leaves over."""


@functools.lru_cache(maxsize=1)
def walks_alone(function: Any) -> bool:
    """True if one core walks over at least half of the elements, one by one.

    Only asked where the compiled function has a loop that is not parallel, or a compiled helper:
    Numba also makes loops parallel that do not say so (a comprehension inside ``np.array``).
    """
    if not (_has_other_loop(function) or _has_helper(function)):
        return False
    try:
        return _touched_alone(function) >= _ELEMENTS / 2
    except Exception:  # anything that Numba can and the interpreter cannot do
        return False


def calls_compiled(function: Any) -> bool:
    """True if a plain function calls one that Numba compiled.

    Of a function that is in another process, what was told of it is believed.
    """
    told = getattr(function, "calls_compiled", False)
    return isinstance(function, types.FunctionType) and (told or _has_helper(function))


def _has_helper(function: Any) -> bool:
    plain = getattr(function, "py_func", function)
    return any(hasattr(value, "py_func") for value in _used(plain).values())


def _used(function: types.FunctionType) -> dict[str, Any]:
    """The values that a function refers to by name: globals, and those of functions around it."""
    names = {*function.__code__.co_names, *_names_inside(function.__code__)}
    found = {name: function.__globals__[name] for name in names if name in function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # a variable that has no value yet
            found[name] = cell.cell_contents
    return found


def _names_inside(code: types.CodeType) -> Iterator[str]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from (*constant.co_names, *_names_inside(constant))


def _has_other_loop(function: Any) -> bool:
    """True if Numba's form of the function has a loop left that it did not make parallel."""
    from numba.core.ir_utils import compute_cfg_from_blocks

    for result in function.overloads.values():
        ir = getattr(result.metadata.get("parfor_diagnostics"), "func_ir", None)
        if ir is not None and compute_cfg_from_blocks(ir.blocks).loops():
            return True
    return False


def _touched_alone(function: Any) -> int:
    """Most elements of ``x``, ``y`` or ``out`` that are touched outside of every ``prange``."""
    interpreter = Interpreter()
    touched: tuple[set[int], ...] = (set(), set(), set())
    arrays = [_watched(places, interpreter) for places in touched]
    with np.errstate(all="ignore"):
        interpreter.call(function, np.float32(2), *arrays)
    return max(map(len, touched))


def _watched(touched: set[int], interpreter: Interpreter) -> np.ndarray:
    """Ones; the addresses of single elements that are read or written go into ``touched``."""

    def note(array: np.ndarray, key: Any) -> None:
        key = key[0] if isinstance(key, tuple) and len(key) == 1 else key
        if isinstance(key, int | np.integer) and not interpreter.in_parallel and array.ndim == 1:
            touched.add(array.ctypes.data + int(key) % array.size * array.strides[0])

    class Watched(np.ndarray):
        """Also what is computed from it, and parts of it."""

        def __getitem__(self, key: Any) -> Any:
            note(self, key)
            return super().__getitem__(key)

        def __setitem__(self, key: Any, value: Any) -> None:
            note(self, key)
            super().__setitem__(key, value)

    return np.ones(_ELEMENTS, np.float32).view(Watched)
