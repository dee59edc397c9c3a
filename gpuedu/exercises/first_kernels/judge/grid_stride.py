"""grid-stride: any number of elements with any launch, each element once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Finding, Judge, Level, Plain, Property
from gpuedu.exercises.kernels.faults import (
    BELOW,
    ENDLESS,
    OUTSIDE,
    hazard_faults,
    idle_faults,
    repeated_faults,
    wrapped_faults,
)
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.widths import count_each

_EPSILON = float(np.finfo(np.float32).eps)
_LAUNCHES = (
    # n, blocks, threads of a block
    (1000, 4, 64),
    (1000, 1, 32),
    (10, 4, 64),
    (1, 1, 32),
    (129, 2, 64),
    (768, 3, 128),
    (257, 2, 128),
    (997, 3, 96),
    (0, 2, 32),
)
_COSTS = (1000, 4, 64)
"""The launch whose sectors are told: each thread has several elements."""

_COSTLY = 1.5


@dataclass(frozen=True)
class _Walk:
    """A known wrong walk: ``steps(thread, block, threads, blocks)`` is (first, stride)."""

    steps: Callable[[int, int, int, int], tuple[int, int]]
    says: str

    def times(self, shape: LaunchShape, n: int) -> np.ndarray:
        """How often each element would be written."""
        times = np.zeros(n, np.int64)
        for block in range(shape.blocks):
            for thread in range(shape.threads):
                first, stride = self.steps(thread, block, shape.threads, shape.blocks)
                times[first::stride] += 1
        return times


_FAR = 10**9
_WALKS = (
    _Walk(
        lambda t, b, threads, blocks: (b * threads + t, _FAR),
        "Each thread took one element and stopped. What follows when there are more elements "
        "than threads? (If there is a loop: `range` takes where it begins, where it ends, and "
        "the step, in this order.)",
    ),
    _Walk(
        lambda t, b, threads, blocks: (t, threads),
        "Every block walked over the whole array. What does a block need to know to leave the "
        "others' elements alone?",
    ),
    _Walk(
        lambda t, b, threads, blocks: (b * threads + t, threads),
        "Threads step by one block, and land on elements of the next blocks. How many threads "
        "are there in all?",
    ),
    _Walk(
        lambda t, b, threads, blocks: (b * threads + t, blocks),
        "`gridDim.x` counts blocks. How many threads are there in all?",
    ),
    _Walk(
        lambda t, b, threads, blocks: (t, threads * blocks),
        "The stride is right, but all blocks begin at the same elements. Where does each begin?",
    ),
    _Walk(
        lambda t, b, threads, blocks: (b * threads + t + 1, threads * blocks),
        "Element 0 belongs to nobody. With which index does the first thread begin?",
    ),
    _Walk(
        lambda t, b, threads, blocks: (b * threads + t, 1),
        "Each thread walked on to the end, one element at a time. How far is it to its next one?",
    ),
    _Walk(
        lambda t, b, threads, blocks: (0, 1),
        "Every thread did everything. Where does each begin, and how far is it to its next one?",
    ),
)


def cases(rng: np.random.Generator) -> list[Case]:
    """More elements than threads and fewer, one block, lengths that nothing divides, and none."""
    return [_case(rng, *launch) for launch in _LAUNCHES]


def _case(rng: np.random.Generator, n: int, blocks: int, threads: int) -> Case:
    inputs = {
        "x": rng.normal(0, 3, n).astype(np.float32),
        "out": -rng.uniform(1, 2, n).astype(np.float32),  # no square is negative
        "blocks": blocks,
        "threads": threads,
    }
    return Case(f"n = {n}, {LaunchShape(blocks, threads)}", inputs)


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Values, who wrote what, the bounds, and whether it came to its end."""
    shape = LaunchShape(case.inputs["blocks"], case.inputs["threads"])
    n = case.inputs["x"].size
    cause = _walk(observed, shape, n)
    expected = case.inputs["x"].astype(np.float64) ** 2
    yield from array_fault(
        "every",
        observed["out"],
        expected,
        tolerance=_EPSILON * expected,
        cause=cause or _why_missing(case, observed, n, shape.blocks * shape.threads),
    )
    yield from wrapped_faults("every", observed)
    if not np.array_equal(observed["x"], case.inputs["x"]):
        yield Fault("every", "`x` was changed by the kernel", "Where does the result go?")
    yield from repeated_faults(
        "once", observed, shape, cause or "Which elements are each thread's own?"
    )
    yield from hazard_faults(
        observed,
        {OUTSIDE: "inside", ENDLESS: "ends"},
        {
            "out-of-bounds": "For which index does the loop end? (`range` takes where it begins, "
            "where it ends, and the step, in this order.)",
            "negative-index": BELOW,
            "runaway-loop": "What changes from one turn to the next, and does every thread's "
            "condition become false?",
        },
    )
    yield from idle_faults(observed, ("once", "inside", "ends"))
    yield from _standing(observed, shape)
    if (n, shape.blocks, shape.threads) == _COSTS:
        yield from _costs(observed)


def _standing(observed: Plain, shape: LaunchShape) -> Iterable[Fault]:
    """Threads that take one element each, where there are more: nothing is known of their walk."""
    threads, size = shape.threads * shape.blocks, observed["times"].size
    writers = observed["first"][observed["first"] >= 0]
    if size >= 2 * threads and writers.size and count_each(writers).max() < 2:
        for prop in ("once", "inside", "ends"):
            yield Fault(
                prop,
                f"{size} elements, {threads} threads, and no thread went on to a second element, "
                "so this shows nothing yet",
                "Which element comes next for a thread that has finished its first?",
            )


def _walk(observed: Plain, shape: LaunchShape, n: int) -> str:
    """The sentence of the known wrong walk that wrote each element as often as observed."""
    times = observed["times"]
    if np.array_equal(times, np.ones(n)):
        return ""
    return next((w.says for w in _WALKS if np.array_equal(times, w.times(shape, n))), "")


def _why_missing(case: Case, observed: Plain, n: int, threads: int) -> str:
    missing = np.flatnonzero(observed["times"] == 0)
    if not np.array_equal(observed["x"], case.inputs["x"]):
        return "`x` was changed instead. Where does the result go?"
    if not observed["complete"]:
        return "It was stopped before it came there: a thread was still in its loop."
    if missing.size == n:
        return (
            "Nothing was written. Does any thread come into the loop? `range` takes where it "
            "begins, where it ends, and the step, in this order."
        )
    whole = n // threads * threads
    if whole < n and np.array_equal(missing, np.arange(whole, n)):
        return (
            f"The last {n - whole} elements are missing: `{n} // {threads}` is rounded down, and "
            "what does not fill all threads once more is left over. Who takes it?"
        )
    if np.array_equal(missing, [n - 1]):
        return "Only the last element is missing. For which index does the loop end?"
    return "Which thread should have written it?" if missing.size else ""


def _costs(observed: Plain) -> Iterable[Finding]:
    """Right, but neighbouring threads are far apart: told, not graded."""
    if observed["sectors"] > _COSTLY * observed["ideal_sectors"] > 0:
        yield Finding(
            Level.COST,
            "neighbouring threads write elements that are far apart. Neighbouring threads should "
            "take neighbouring elements; the lesson on memory counts what it costs. No points are "
            "taken.",
        )


JUDGE = Judge(
    title="Any number of elements, any launch",
    properties=(
        Property("every", "every element of `out` is `x[i] * x[i]`, for any n and any launch", 1),
        Property("once", "each element is written by one thread, once", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
        Property("ends", "every thread comes to its end", 1),
    ),
    hints=(
        "2 blocks of 4 threads, 20 elements: write down which elements thread 1 of block 0 takes. "
        "How far is it from one to the next?",
        "A thread begins at its own global index and goes on by the number of all threads, "
        "`cuda.gridsize(1)`, as long as it is inside.",
        "A loop over `range(first, out.size, step)` with `first = cuda.grid(1)` and "
        "`step = cuda.gridsize(1)`; in it, one line that writes `out[i]`.",
    ),
    cases=cases,
    verdict=verdict,
)
