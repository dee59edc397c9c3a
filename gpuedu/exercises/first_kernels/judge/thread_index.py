"""thread-index: one block, a thread for each element."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.kernels.faults import (
    BELOW,
    OUTSIDE,
    hazard_faults,
    idle_faults,
    repeated_faults,
    wrapped_faults,
)
from gpuedu.exercises.kernels.indexing import WrongIndex, index_cause
from gpuedu.exercises.kernels.shapes import LaunchShape

_SIZES = (8, 1, 32, 100, 33, 1024)
_INDICES = (
    WrongIndex(
        lambda block, thread, threads, blocks: thread + 1,
        "Every thread is one too far: the first thread of a block has index 0.",
    ),
    WrongIndex(
        lambda block, thread, threads, blocks: 0 * thread,
        "All threads took element 0. They run the same lines: which name has another value in "
        "each thread?",
    ),
)


def cases(rng: np.random.Generator) -> list[Case]:
    """From a thread or two to the largest block there is; partly filled warps among them."""
    return [_case(rng, n) for n in _SIZES]


def _case(rng: np.random.Generator, n: int) -> Case:
    a = rng.integers(-1000, 1000, n, dtype=np.int32)
    inputs = {"a": a, "out": rng.integers(5000, 9000, n, dtype=np.int32), "threads": n}
    return Case(f"n = {n}, {LaunchShape(1, n)}", inputs)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Values, then who wrote them, then the bounds."""
    shape = LaunchShape(1, case.inputs["threads"])
    cause = index_cause(observed["times"], shape, _INDICES)
    yield from array_fault(
        "right",
        observed["out"],
        case.inputs["a"].astype(np.float64) + 10,
        tolerance=0,
        cause=cause or _cause(case, observed),
    )
    yield from wrapped_faults("right", observed)
    changed = np.flatnonzero(case.inputs["a"] != observed["a"])
    if changed.size:
        yield Fault(
            "right",
            f"`a[{int(changed[0])}]` was changed by the kernel",
            "The caller may need `a` again. Where does the result go?",
        )
    yield from hazard_faults(
        observed,
        {OUTSIDE: "inside"},
        {
            "out-of-bounds": cause or "Which values does the index take, in which threads?",
            "negative-index": BELOW,
        },
    )
    yield from _one_each(observed, shape, cause)
    yield from idle_faults(observed, ("one-each", "inside"))


def _one_each(observed: Plain, shape: LaunchShape, cause: str) -> Iterable[Fault]:
    """Each thread writes one element, and no two the same."""
    yield from repeated_faults(
        "one-each", observed, shape, cause or "Which element is each thread's own?"
    )
    written = observed["first"][observed["first"] >= 0]
    writers, counts = np.unique(written, return_counts=True)
    if (counts > 1).any():
        busy = shape.name_thread(int(writers[counts.argmax()]))
        idle = shape.threads - len(writers)
        yield Fault(
            "one-each",
            f"{busy} wrote {int(counts.max())} elements, one after the other, while {idle} of "
            f"{shape.threads} threads wrote none",
            "The launch brings a thread for each element. What is left of the loop then?",
        )


def _cause(case: Case, observed: Plain) -> str:
    got, a = observed["out"], case.inputs["a"].astype(np.int64)
    if not observed["times"].any():
        if not np.array_equal(a, observed["a"]):
            return "`out` holds what stood there before, and `a` was changed instead."
        return "`out` holds what stood there before. Which line writes into it?"
    if np.array_equal(got, case.inputs["out"].astype(np.int64) + a + 10):
        return "That adds to what stood in `out` before. What should happen to the old content?"
    if np.array_equal(got, case.inputs["out"].astype(np.int64) + 10):
        return "That is `out[i] + 10`. Which array holds the input?"
    if np.array_equal(got, a):
        return "That is a copy of `a`. What should be added?"
    if np.array_equal(got, a + np.arange(got.size)):
        return "That adds the thread's index. What should be added to each element?"
    return ""


JUDGE = Judge(
    title="A thread for each element",
    properties=(
        Property("right", "every element of `out` is `a[i] + 10`, and `a` is left alone", 1),
        Property("one-each", "each thread writes one element, its own", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
    ),
    hints=(
        "All threads run the same lines. By which name does a thread know which one it is?",
        "`cuda.threadIdx.x` counts the threads of a block from 0. Use it as an index: no loop.",
        "First `i = cuda.threadIdx.x`; then one line that reads `a[i]` and writes `out[i]`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "thread-index": Prediction(
            "a block of 100 threads runs as warps of 32 lanes: how many lanes of its last warp "
            "have no thread?",
            truth=28,
            unit="lanes",
            because="Three warps hold 96 threads, the fourth has the remaining 4. Its other 28 "
            "lanes exist in the hardware and have nothing to run.",
        )
    },
)
