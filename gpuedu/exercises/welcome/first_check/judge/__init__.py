"""first-check: bytes that a copy moves, to see how a check works."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.contract import Case, Judge
from gpuedu.exercises.functions import right_result


def cases(rng: np.random.Generator) -> list[Case]:
    """Lengths down to nothing and up to billions, and item sizes other than 4.

    The first of each kind tells wrong answers apart: with 1, 2, 8 or 16 bytes several of them give
    the same number, and 12 is no power of two. The last ones share their length, so an answer that
    is kept for a length is found out.
    """
    sizes = [int(rng.integers(1000, 10**6)), int(rng.integers(2, 100)), 1, 0]
    drawn = [(n, 4, "float32") for n in sizes]
    drawn.append((int(rng.integers(2 * 10**9, 5 * 10**9)), 4, "float32"))
    n = int(rng.integers(100, 10**6))
    drawn += [(n, size, "any-itemsize") for size in (12, 16, 2, 8, 1)]
    return [_case(*one) for one in drawn]


def _case(n: int, itemsize: int, name: str) -> Case:
    inputs = {"call": "copied_bytes", "n": n, "itemsize": itemsize}
    return Case(f"n = {n}, itemsize = {itemsize}", inputs, (name,))


_BYTES = {
    "truths": {"copied_bytes": lambda n, itemsize: 2 * n * itemsize},
    "unit": "bytes",
    "asks": "How many bytes is one element, and how often does it move?",
}

JUDGE = Judge(
    title="How many bytes does a copy move?",
    properties=(
        right_result("float32", "right for elements of 4 bytes", 1, **_BYTES),
        right_result("any-itemsize", "right for elements of any size", 1, **_BYTES),
    ),
    hints=(
        "A copy takes each element out of one array and puts it into another. How often does "
        "each element travel?",
        "Every element is read once and written once. How many bytes is that for one element?",
        "One element moves `itemsize` bytes in and `itemsize` bytes out; there are `n` of them.",
    ),
    cases=cases,
)
