"""Finds compiled functions that walk over the elements outside of their parallel loops.

Numba's record tells which loops are parallel, not how far the others run: ``for b in range(4)``
around a ``prange`` is fine, a ``range`` over all elements beside it is not. So the function is
carried out once more by an interpreter, on arrays that note which elements are read or written in
which step of a ``prange``, and which of them one by one in none. Where that cannot be, nothing is
held against it.
"""

from __future__ import annotations

import contextlib
import types
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.why_gpus.parallel_cpu.interpreter import Interpreter

Touched = defaultdict[int | None, set[int]]
"""Addresses by the step of a ``prange``, None outside of all."""
_ELEMENTS = 20_011
"""More than a remainder that a chunk of any sensible size leaves over."""
_ALONE, _IN_A_STEP = 1 / 2, 3 / 4
"""Of the elements, those from which on one core is said to go through them: outside of every
``prange``, and in one step of it, as half of them are one of two chunks."""
_FEW = 32
"""So few at a time are one by one: no core is worth starting for them."""


def walks_alone(function: Any, arrays: Sequence[np.ndarray] = ()) -> bool:
    """True if one core goes through most of the elements.

    Only asked where the compiled function has a loop that is not parallel, or a compiled helper:
    Numba also makes loops parallel that do not say so (a comprehension inside ``np.array``).

    Args:
        function: Numba's.
        arrays: ``x``, ``y`` and ``out`` as they were before it was called; ones by default.
    """
    if not (_has_other_loop(function) or _has_helper(function)):
        return False
    given = arrays or [np.ones(_ELEMENTS, np.float32)] * 3
    try:
        return _touched_alone(function, given) >= 1
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
        diagnostics = result.metadata.get("parfor_diagnostics")
        ir = getattr(diagnostics, "func_ir", None)
        if ir is not None and compute_cfg_from_blocks(ir.blocks).loops():
            return True
        for loop in getattr(diagnostics, "initial_parfors", None) or []:
            if _has_loop_inside(loop):
                return True
    return False


def _has_loop_inside(loop: Any) -> bool:
    """True if a step of a parallel loop may be a loop itself, or computes with whole arrays."""
    from numba.parfors.parfor import Parfor

    inside = [one for block in loop.loop_body.values() for one in block.body]
    return len(loop.loop_body) > 1 or any(isinstance(one, Parfor) for one in inside)


def _touched_alone(function: Any, given: Sequence[np.ndarray]) -> float:
    """The largest share of ``x``, ``y`` or ``out`` that one core touches, of what it may."""
    interpreter = Interpreter()
    touched: tuple[Touched, ...] = tuple(defaultdict(set) for _ in given)
    arrays = [
        _watched(one, places, interpreter) for one, places in zip(given, touched, strict=True)
    ]
    with np.errstate(all="ignore"):
        interpreter.call(function, np.float32(2), *arrays)
    return max(_share(places, one.size) for places, one in zip(touched, given, strict=True))


def _share(touched: Touched, count: int) -> float:
    """How much of what it may touch the busiest core does."""
    alone = len(touched.pop(None, ())) / count / _ALONE
    return max(alone, max(map(len, touched.values()), default=0) / count / _IN_A_STEP)


def _watched(given: np.ndarray, touched: Touched, interpreter: Interpreter) -> np.ndarray:
    """A copy; the addresses of elements that are read or written go into ``touched``, by step."""

    def note(array: np.ndarray, key: Any) -> None:
        if isinstance(key, int | np.integer) and array.ndim == 1:
            touched[interpreter.step].add(
                array.ctypes.data + int(key) % array.size * array.strides[0]
            )
            return
        part = np.ndarray.__getitem__(array.view(np.ndarray), _as_slices(array, key))
        if interpreter.in_parallel or part.size < _FEW:
            places = part.ctypes.data + _offsets(part)
            touched[interpreter.step].update(places.tolist())

    class Watched(np.ndarray):
        """Also what is computed from it, and parts of it."""

        def __getitem__(self, key: Any) -> Any:
            note(self, key)
            return super().__getitem__(key)

        def __setitem__(self, key: Any, value: Any) -> None:
            note(self, key)
            super().__setitem__(key, value)

    return given.copy().view(Watched)


def _as_slices(array: np.ndarray, key: Any) -> Any:
    """The key with a slice of one in place of each whole number, so that a view comes out."""
    keys = key if isinstance(key, tuple) else (key,)
    pairs = zip(keys, array.shape, strict=False)
    return tuple(
        slice(int(one) % size, int(one) % size + 1) if isinstance(one, int | np.integer) else one
        for one, size in pairs
    )


def _offsets(part: np.ndarray) -> np.ndarray:
    """Of its elements, in bytes from the first."""
    found = np.zeros(1, np.int64)
    for size, stride in zip(part.shape, part.strides, strict=True):
        found = np.add.outer(found, np.arange(size) * stride).ravel()
    return found
