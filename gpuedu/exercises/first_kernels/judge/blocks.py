"""blocks: saxpy over many blocks, judged by the result, by who wrote it, and by the bounds."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.kernels.faults import (
    OUTSIDE,
    THROUGH,
    hazard_faults,
    idle_faults,
    is_next_to_last,
    repeated_faults,
    wrapped_faults,
)
from gpuedu.exercises.kernels.indexing import WrongIndex, index_cause
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import Sighting

_EPSILON = float(np.finfo(np.float32).eps)
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
    (100, 7, 64),
)
"""The last has blocks in which no thread has anything to do."""

_INDICES = (
    WrongIndex(
        lambda block, thread, threads, blocks: thread,
        "`threadIdx.x` begins at 0 in every block, so all blocks took the same elements. What "
        "tells a thread in which block it is?",
    ),
    WrongIndex(
        lambda block, thread, threads, blocks: block,
        "All threads of a block took the same element. What tells them apart?",
    ),
    WrongIndex(
        lambda block, thread, threads, blocks: block * thread,
        "In block 0 that product is 0 for every thread. How many elements lie before the first "
        "one of block 1?",
    ),
    WrongIndex(
        lambda block, thread, threads, blocks: block + thread,
        "Block 1 began one element after block 0. How many elements does each block take?",
    ),
    WrongIndex(
        lambda block, thread, threads, blocks: block * blocks + thread,
        "`gridDim.x` is the number of blocks. How many elements lie before the first one of "
        "block 1?",
    ),
    WrongIndex(
        lambda block, thread, threads, blocks: thread * threads + block,
        "Thread 1 began a whole block after thread 0. Which of the two indices counts elements, "
        "and which counts blocks?",
    ),
    WrongIndex(
        lambda block, thread, threads, blocks: block * threads + thread + 1,
        "Every thread is one too far: block and thread indices begin at 0.",
    ),
    WrongIndex(
        lambda block, thread, threads, blocks: (block + 1) * threads + thread,
        "Every thread is a block too far: the first block has index 0.",
    ),
    *(
        WrongIndex(
            lambda block, thread, threads, blocks, size=size: block * size + thread,
            "The step from one block to the next does not fit this launch. Blocks may have any "
            "size: where can a kernel ask for it?",
        )
        for size in (32, 64, 128, 256)
    ),
)


_BELOW = (
    "Blocks count from 0, and so do threads: before the first block there is none. Numba takes a "
    "negative index from the array's end, so that a right result may be luck."
)


def cases(rng: np.random.Generator) -> list[Case]:
    """One block first; then several, exact and not, and with blocks to spare."""
    return [_case(rng, *launch) for launch in _LAUNCHES]


def _case(rng: np.random.Generator, n: int, blocks: int, threads: int) -> Case:
    inputs = {
        "a": np.float32(rng.uniform(1.5, 4.0)),
        **{name: rng.normal(3, 2, n).astype(np.float32) for name in ("x", "y", "out")},
        "blocks": blocks,
        "threads": threads,
    }
    label = f"n = {n}, {LaunchShape(blocks, threads)}"
    return Case(label, inputs, ("one-block" if blocks == 1 else "every-block", "inside", "once"))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Values, then the bounds, then who wrote what."""
    shape = LaunchShape(case.inputs["blocks"], case.inputs["threads"])
    cause = index_cause(observed["times"], shape, _INDICES)
    yield from wrapped_faults(case.decides[0], observed, _BELOW)
    yield from _values(case, observed, cause)
    yield from _inputs(case, observed)
    yield from hazard_faults(
        observed,
        {OUTSIDE: "inside"},
        lambda seen: _outside(seen, case.inputs["out"].size),
    )
    yield from repeated_faults(
        "once", observed, shape, cause or "Which element is each thread's own?"
    )
    yield from idle_faults(observed, ("inside", "once"))


def _outside(seen: Sighting, n: int) -> str:
    """The question below an index outside."""
    if seen.kind == "negative-index":
        return _BELOW
    if is_next_to_last(seen, n):
        return THROUGH.format(n=n, last=n - 1)
    return (
        "A GPU would go on with whatever lies there. Which threads have no element, and how does "
        "a thread know that it is one of them?"
    )


def _values(case: Case, observed: Plain, cause: str) -> Iterable[Fault]:
    a = float(case.inputs["a"])
    x, y = (case.inputs[name].astype(np.float64) for name in ("x", "y"))
    yield from array_fault(
        case.decides[0],
        observed["out"],
        a * x + y,
        # Two roundings in float32; one where the compiler fuses the two operations.
        tolerance=2 * _EPSILON * (np.abs(a * x) + np.abs(y)),
        cause=cause or _cause(case, observed),
    )


def _cause(case: Case, observed: Plain) -> str:
    got, before = observed["out"], case.inputs["out"]
    a, x, y = float(case.inputs["a"]), case.inputs["x"], case.inputs["y"]
    if not observed["times"].any():
        changed = not np.array_equal(observed["x"], x) or not np.array_equal(observed["y"], y)
        return f"{'It changed its inputs. ' if changed else ''}Which line writes into `out`?"
    if np.allclose(got, before + a * x + y, rtol=1e-5, atol=1e-4):
        return "That adds to what stood in `out` before. What should happen to the old content?"
    if np.allclose(got, x + a * y, rtol=1e-5, atol=1e-4):
        return "That is `x + a * y`. Which of the two is scaled?"
    if np.array_equal(np.flatnonzero(observed["times"] == 0), [got.size - 1]):
        return "Only the last element is missing. For which index does your guard stop?"
    if (observed["times"] == 0).any():
        return "What is wrong still holds what stood there before. Which thread should write it?"
    return ""


def _inputs(case: Case, observed: Plain) -> Iterable[Fault]:
    for name in ("x", "y"):
        changed = np.flatnonzero(case.inputs[name] != observed[name])
        if changed.size:
            yield Fault(
                case.decides[0],
                f"`{name}[{int(changed[0])}]` was changed by the kernel",
                "The caller may need its inputs again. Where does the result go?",
            )


JUDGE = Judge(
    title="saxpy over many blocks",
    properties=(
        Property("one-block", "right when one block is enough", 1),
        Property("every-block", "right over several blocks", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
        Property("once", "each element is written by one thread, once", 1),
    ),
    hints=(
        "Blocks of 128 threads: which elements does block 0 take, which block 1? What is the "
        "first element of block `b`?",
        "The blocks before this one have taken `blockIdx.x * blockDim.x` elements. And a thread "
        "whose index is not below `out.size` has nothing to do.",
        "`i` is `cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x`; then, under an `if` that "
        "compares `i` with `out.size`, one line that writes `out[i]`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "blocks": Prediction(
            "1,000 elements in blocks of 128 threads: how many threads have no element?",
            truth=24,
            unit="threads",
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
