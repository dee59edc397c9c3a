"""thread-index: one block, a thread for each element."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.contract import Case, Inputs, Judge, Prediction
from gpuedu.exercises.first_kernels.judge.one_each import one_each
from gpuedu.exercises.kernels.properties import inside, right_values
from gpuedu.exercises.kernels.shapes import LaunchShape

_SIZES = (8, 1, 32, 100, 33, 1024)
_FROM_HERE_LARGE = 100
_LARGEST = 2**31 - 11  # to which an int32 can still add 10


def cases(rng: np.random.Generator) -> list[Case]:
    """From a thread or two to the largest block there is; partly filled warps among them.

    In the larger ones numbers go as far as int32 does, so that a float32 cannot hold them.
    """
    return [_case(rng, n) for n in _SIZES]


def _case(rng: np.random.Generator, n: int) -> Case:
    most = _LARGEST if n >= _FROM_HERE_LARGE else 1000
    a = rng.integers(-most, most, n, dtype=np.int32)
    a[7 : n - 1 : 90] = 0
    inputs = {"a": a, "out": rng.integers(5000, 9000, n, dtype=np.int32)}
    inputs |= {"grid": 1, "block": n}
    return Case(f"n = {n}, {LaunchShape(1, n)}", inputs)


def ten_more(inputs: Inputs) -> np.ndarray:
    """``a + 10`` in float64."""
    return inputs["a"].astype(np.float64) + 10


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
        one_each(
            "each thread writes one element, its own", 1, asks="Which element is each thread's own?"
        ),
        inside(1, asks="Which values does the index take, and in which threads?"),
    ),
    hints=(
        "All threads run the same lines. By which name does a thread know which one it is?",
        "`cuda.threadIdx.x` counts the threads of a block from 0. Use it as an index: no loop.",
        "First `i = cuda.threadIdx.x`; then one line that reads `a[i]` and writes `out[i]`.",
    ),
    results=("right",),
    cases=cases,
    predictions={
        "thread-index": Prediction(
            "a block of 100 threads runs as warps of 32 lanes: how many lanes of its last warp "
            "have no thread?",
            truth=28,
            unit="lanes",
            exact=True,
            because="Three warps hold 96 threads, the fourth has the remaining 4. Its other 28 "
            "lanes exist in the hardware and have nothing to run.",
        )
    },
)
