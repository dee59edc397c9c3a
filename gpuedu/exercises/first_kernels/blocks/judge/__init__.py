"""blocks: saxpy over many blocks, judged by the result, by who wrote it, and by the bounds."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.contract import Case, Inputs, Judge, Prediction
from gpuedu.exercises.kernels.properties import inside, right_values, written_once
from gpuedu.exercises.kernels.shapes import LaunchShape

_EPSILON = float(np.finfo(np.float32).eps)
_LONG = 70_000
_LAUNCHES = (
    # n, blocks, threads of a block
    (64, 1, 64),
    (1, 1, 32),
    (31, 1, 32),
    (512, 4, 128),
    (1000, 8, 128),
    (33, 2, 32),
    (127, 4, 32),
    (129, 2, 128),
    (257, 3, 96),
    (100, 7, 64),  # blocks in which no thread has anything to do
    (250, 3, 100),  # blocks that are no whole number of warps; and `a` is 0
    (_LONG, 69, 1024),
)
_NOTHING = 250
"""The length of the case in which `a` is 0."""


def cases(rng: np.random.Generator) -> list[Case]:
    """One block first; then several, exact and not, and with blocks to spare.

    `a` has both signs, and some elements of `x` and `y` are 0: the result is due there, too.
    """
    return [_case(rng, *launch, (-1) ** at) for at, launch in enumerate(_LAUNCHES)]


def _case(rng: np.random.Generator, n: int, blocks: int, threads: int, sign: int) -> Case:
    arrays = {name: rng.normal(3, 2, n).astype(np.float32) for name in ("x", "y", "out")}
    for name in ("x", "y"):
        arrays[name][rng.permutation(n)[: n // 16]] = 0
    inputs = {
        "a": np.float32(0 if n == _NOTHING else sign * rng.uniform(1.5, 4.0)),
        **arrays,
        "grid": blocks,
        "block": threads,
    }
    label = f"n = {n}, {LaunchShape(blocks, threads)}"
    if n >= _LONG:  # who leaves out most of it is not asked who wrote it
        return Case(label, inputs, ("every-block",))
    return Case(label, inputs, ("one-block" if blocks == 1 else "every-block", "inside", "once"))


def saxpy(inputs: Inputs) -> np.ndarray:
    """``a * x + y`` in float64."""
    x, y = (inputs[name].astype(np.float64) for name in ("x", "y"))
    return float(inputs["a"]) * x + y


def two_roundings(inputs: Inputs) -> np.ndarray:
    """Room for two roundings in float32; there is one where the compiler fuses the operations."""
    x, y = (np.abs(inputs[name].astype(np.float64)) for name in ("x", "y"))
    return 2 * _EPSILON * (abs(float(inputs["a"])) * x + y)


_VALUES = {"expected": saxpy, "tolerance": two_roundings, "leaves": ("x", "y")}

JUDGE = Judge(
    title="saxpy over many blocks",
    properties=(
        right_values("one-block", "right when one block is enough", 1, **_VALUES),
        right_values("every-block", "right over several blocks", 1, **_VALUES),
        inside(1),
        written_once(1, asks="Which element is each thread's own, and how often is it written?"),
    ),
    hints=(
        "Blocks of 128 threads: which elements does block 0 take, which block 1? What is the "
        "first element of block `b`?",
        "The blocks before this one have taken `blockIdx.x * blockDim.x` elements. And a thread "
        "whose index is not below `out.size` has nothing to do.",
        "`i` is `cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x`; then, under an `if` that "
        "compares `i` with `out.size`, one line that writes `out[i]`.",
    ),
    results=("one-block", "every-block"),
    cases=cases,
    predictions={
        "blocks": Prediction(
            "1,000 elements in blocks of 128 threads: how many threads have no element?",
            truth=24,
            unit="threads",
            exact=True,
            because="Seven blocks are too few, eight blocks are 1,024 threads. The last 24 must "
            "find out for themselves that there is nothing for them.",
        ),
        "blocks-copies": Prediction(
            "three launches of saxpy on NumPy arrays of 4 MB: how many MB are copied in all?",
            truth=72,
            unit="MB",
            because="Every launch copies all three arrays there and all three back, although only "
            "`out` was changed: 24 MB, three times. Device arrays need 12 MB in all.",
        ),
    },
)
