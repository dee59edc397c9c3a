"""Properties of calls that give arrays, from what ``observe_call`` observed.

Each says what was counted or computed, and asks a question that names no cause: causes are those of
known wrong answers. Of a hidden copy the arrays themselves say what asked for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.arrays.watching import Copy
from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Inputs, Plain, Property, Test, Undecided

_LONGEST = 90
_KEEP = "The caller may need its arrays again. Which line of yours writes to that one?"
_LIBRARIES = {"numpy": "NumPy", "cupy": "CuPy"}


def right_array(
    name: str,
    says: str,
    points: float,
    expected: Callable[[Inputs], np.ndarray],
    *,
    asks: str,
    tolerance: Callable[[Inputs], np.ndarray | float] | float = 0.0,
    array: str = "result",
    dtype: Callable[[Inputs], Any] | None = None,
    library: str = "",
    leaves: Sequence[str] = (),
) -> Property:
    """A call gives an array of the right shape with the right elements.

    Args:
        name: The property's.
        says: What the card says of it.
        points: Its points.
        expected: The array in float64, from a case's inputs.
        asks: The question below a counterexample.
        tolerance: How far an element may be off, absolute; or that, from a case's inputs.
        array: What the array is called.
        dtype: The dtype that it has to have, or its kind, from a case's inputs; None where any do.
        library: "numpy" or "cupy", where it has to be an array of that one.
        leaves: Arrays that it has to leave alone: the play observes each under its name.
    """

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        got, wanted = observed["result"], expected(case.inputs)
        if library and observed["library"] != library:
            yield Fault(name, f"it returned a {_LIBRARIES[observed['library']]} array")
        if got.shape != wanted.shape:
            yield Fault(name, f"`{array}` has shape {got.shape}, expected {wanted.shape}")
            return
        kind = dtype(case.inputs) if dtype else got.dtype
        if not np.issubdtype(got.dtype, kind):
            yield Fault(name, f"`{array}` is {got.dtype}, expected {_written(kind)}")
        room = tolerance(case.inputs) if callable(tolerance) else tolerance
        yield from array_fault(name, got, wanted, tolerance=room, name=array)
        for one in leaves:
            if not np.array_equal(case.inputs[one], observed[one], equal_nan=True):
                yield Fault(name, f"`{one}` was changed by the call", _KEEP)

    return Property(name, says, points, asks, test)


def _written(kind: Any) -> str:
    return "whole numbers" if kind is np.integer else np.dtype(kind).name


def in_float32(
    points: float,
    name: str = "single",
    says: str = "all arithmetic is in float32",
    *,
    asks: str = "Which number, variable or function of yours is a double in C? `0.5` is one, "
    "`0.5f` is a float.",
) -> Property:
    """A kernel computes, and nothing in float64; see ``observe_arithmetic``."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        if observed["flop64"]:
            line = observed["line64"]  # a long one is of what the course wrote around the learner's
            where = f", on the line `{line}`" if 0 < len(line) <= _LONGEST else ""
            counted = f"{observed['flop64']:,} of {observed['flop']:,} floating-point operations"
            yield Fault(name, f"{counted} were in float64{where}")
        elif not observed["flop"]:
            yield Undecided(name, "nothing was computed")

    return Property(name, says, points, asks, test)


def unless_idle(name: str, test: Test, fewest: int = 1) -> Test:
    """The same test, undecided where it finds nothing in less than ``fewest`` launches."""

    def tested(case: Case, observed: Plain) -> Iterable[Fault]:
        faults = list(test(case, observed))
        yield from faults
        launches = observed["launches"]
        if not faults and launches < fewest:
            some = f"only {launches}" if launches else "no"
            ran = "operation" if launches == 1 else "operations"
            yield Undecided(name, f"{some} {ran} ran on the device")

    return tested


_INSTEAD = {
    "mask": "The host has to know how many elements a mask chooses, also where they are only "
    "written to. `cp.where(condition, a, b)` chooses without counting.",
    "truth value": "An `if` needs the answer on the host. `cp.where` decides on the device.",
    **dict.fromkeys(
        ("str()", "formatting", "repr()"), "A text is made on the host. Is it still needed there?"
    ),
}


def instead_of(copy: Copy) -> str:
    """What there is in place of what asked for a hidden copy; "" where that depends.

    >>> instead_of(Copy(False, 1, True, "a truth value asked of a device array"))
    'An `if` needs the answer on the host. `cp.where` decides on the device.'
    """
    return next((says for word, says in _INSTEAD.items() if word in copy.what), "")


def copy_text(copy: Copy) -> str:
    """One copy in words.

    >>> copy_text(Copy(False, 4, True, "float() of a device array"))
    'float() of a device array copied 4 bytes to the host'
    """
    where = "device" if copy.to_device else "host"
    size = "1 byte" if copy.size_bytes == 1 else f"{copy.size_bytes:,} bytes"
    return f"{copy.what} copied {size} to the {where}"
