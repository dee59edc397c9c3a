"""thread-index: one block, a thread for each element."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.kernels.faults import repeated_faults
from gpuedu.exercises.kernels.properties import inside, right_values, unless_idle, writers_of
from gpuedu.exercises.kernels.shapes import LaunchShape

_SIZES = (8, 1, 32, 100, 33, 1024)


def cases(rng: np.random.Generator) -> list[Case]:
    """From a thread or two to the largest block there is; partly filled warps among them."""
    return [_case(rng, n) for n in _SIZES]


def _case(rng: np.random.Generator, n: int) -> Case:
    a = rng.integers(-1000, 1000, n, dtype=np.int32)
    inputs = {"a": a, "out": rng.integers(5000, 9000, n, dtype=np.int32)}
    inputs |= {"grid": 1, "block": n}
    return Case(f"n = {n}, {LaunchShape(1, n)}", inputs)


def ten_more(inputs: Inputs) -> np.ndarray:
    """``a + 10`` in float64."""
    return inputs["a"].astype(np.float64) + 10


def _one_each(case: Case, observed: Plain) -> Iterable[Fault]:
    """Each thread writes one element, and no two the same."""
    shape = LaunchShape(case.inputs["grid"], case.inputs["block"])
    written = {**writers_of(observed, "out"), "out": observed["out"]}
    yield from repeated_faults("one-each", written, shape)
    writers, counts = np.unique(written["first"][written["times"] > 0], return_counts=True)
    if (counts > 1).any():
        busy = shape.name_thread(int(writers[counts.argmax()]))
        idle = shape.threads - len(writers)
        yield Fault(
            "one-each",
            f"{busy} wrote {int(counts.max())} elements, one after the other, while {idle} of "
            f"{shape.threads} threads wrote none",
        )


JUDGE = Judge(
    title="A thread for each element",
    properties=(
        right_values(
            "right",
            "every element of `out` is `a[i] + 10`",
            1,
            ten_more,
            leaves=("a",),
        ),
        Property(
            "one-each",
            "each thread writes one element, its own",
            1,
            "Which element is each thread's own?",
            unless_idle("one-each", _one_each),
        ),
        inside(1, asks="Which values does the index take, and in which threads?"),
    ),
    hints=(
        "All threads run the same lines. By which name does a thread know which one it is?",
        "`cuda.threadIdx.x` counts the threads of a block from 0. Use it as an index: no loop.",
        "First `i = cuda.threadIdx.x`; then one line that reads `a[i]` and writes `out[i]`.",
    ),
    cases=cases,
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
