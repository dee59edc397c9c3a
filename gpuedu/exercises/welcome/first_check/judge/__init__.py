"""first-check: bytes that a copy moves, to see how a check works."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import Misconception, likely_cause, number_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Property

_MISCONCEPTIONS = (
    Misconception(
        lambda n, itemsize: n * itemsize,
        "That is one direction only. A copy reads every element and also writes it.",
    ),
    Misconception(lambda n, itemsize: 2 * n, "That counts elements. How big is one of them?"),
    Misconception(
        lambda n, itemsize: 8 * n,
        "That is right for elements of 4 bytes. Which argument is not used yet?",
    ),
    Misconception(
        lambda n, itemsize: 4 * n,
        "That takes every element for 4 bytes, and counts one direction only.",
    ),
    Misconception(lambda n, itemsize: 16 * n * itemsize, "That is bits: 8 of them make one byte."),
)


def cases(rng: np.random.Generator) -> list[Case]:
    """Lengths down to nothing, and item sizes other than 4.

    The first of each kind tells the misconceptions apart: with 1, 2 or 8 bytes several of them
    give the same number.
    """
    sizes = [int(rng.integers(1000, 10**6)), int(rng.integers(2, 100)), 1, 0]
    drawn = [(n, 4, "float32") for n in sizes]
    drawn += [(int(rng.integers(100, 10**6)), size, "any-itemsize") for size in (16, 2, 8, 1)]
    return [
        Case(f"n = {n}, itemsize = {itemsize}", {"n": n, "itemsize": itemsize}, (name,))
        for n, itemsize, name in drawn
    ]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Reads plus writes."""
    n, itemsize = case.inputs["n"], case.inputs["itemsize"]
    yield from number_fault(
        case.decides[0],
        f"copied_bytes({n}, {itemsize})",
        observed["bytes"],
        2 * n * itemsize,
        unit="bytes",
        cause=likely_cause(observed["bytes"], _MISCONCEPTIONS, case.inputs),
    )


JUDGE = Judge(
    title="How many bytes does a copy move?",
    properties=(
        Property("float32", "right for elements of 4 bytes", 1),
        Property("any-itemsize", "right for elements of any size", 1),
    ),
    hints=(
        "A copy takes each element out of one array and puts it into another. How often does "
        "each element travel?",
        "Every element is read once and written once. How many bytes is that for one element?",
        "One element moves `itemsize` bytes in and `itemsize` bytes out; there are `n` of them.",
    ),
    cases=cases,
    verdict=verdict,
)
