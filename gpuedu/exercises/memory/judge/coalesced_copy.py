"""coalesced-copy: the same copy with the same threads, in whole sectors."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.kernels.costs import sector_faults
from gpuedu.exercises.kernels.faults import (
    BELOW,
    LOOPS,
    OUTSIDE,
    hazard_faults,
    idle_faults,
    repeated_faults,
    wrapped_faults,
)
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.traffic import read_traffic

_COSTS = ((1024, 4, 64), (768, 2, 96))
_LAUNCHES = (
    # n, blocks, threads of a block; the first two decide what it costs
    *_COSTS,
    (1000, 1, 64),
    (70, 4, 64),
    (1, 1, 32),
    (129, 2, 64),
    (257, 2, 128),
    (997, 3, 96),
    (0, 2, 32),
)
_RIGHT = ("every", "once", "inside")
_SECTOR = 8
"""Float32 in a sector of 32 bytes."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Launches that come out even and cost whole sectors at best, then all kinds of others."""
    return [_case(rng, *launch) for launch in _LAUNCHES]


def _case(rng: np.random.Generator, n: int, blocks: int, threads: int) -> Case:
    inputs = {
        "src": rng.normal(0, 3, n).astype(np.float32),
        "dst": rng.uniform(100, 200, n).astype(np.float32),
        "blocks": blocks,
        "threads": threads,
    }
    costs = ("sectors",) if (n, blocks, threads) in _COSTS else ()
    return Case(f"n = {n}, {LaunchShape(blocks, threads)}", inputs, _RIGHT + costs)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Values, how often each element was touched, the bounds, and the sectors."""
    yield from hazard_faults(observed, {LOOPS: "every"})
    shape = LaunchShape(case.inputs["blocks"], case.inputs["threads"])
    src = case.inputs["src"]
    yield from array_fault(
        "every",
        observed["dst"],
        src.astype(np.float64),
        tolerance=0,
        name="dst",
        cause=_why_missing(observed, src, shape),
    )
    yield from wrapped_faults("every", observed)
    if not np.array_equal(observed["src"], src):
        yield Fault("every", "`src` was changed by the kernel", "Which array is the copy?")
    yield from _once(observed, shape)
    yield from hazard_faults(
        observed,
        {OUTSIDE: "inside"},
        {
            "out-of-bounds": "What keeps a thread from using an index that is not there?",
            "negative-index": BELOW,
        },
    )
    yield from idle_faults(observed, case.decides[1:], "dst")
    if "sectors" in case.decides:
        yield from _sectors(observed)


def _once(observed: Plain, shape: LaunchShape) -> Iterable[Fault]:
    cause = (
        "Does every block begin at the same place?"
        if _is_blind(observed, shape)
        else "How far does a thread go in one turn, and how many threads has the whole grid?"
    )
    yield from repeated_faults("once", observed, shape, cause, "dst")
    again = np.flatnonzero(observed["loads"] > 1)
    if again.size:
        i = int(again[0])
        yield Fault("once", f"`src[{i}]` was read {int(observed['loads'][i])} times", cause)


def _is_blind(observed: Plain, shape: LaunchShape) -> bool:
    """Whether each block took all elements."""
    times = observed["times"]
    return bool(times.size) and shape.blocks > 1 and bool((times == shape.blocks).all())


def _why_missing(observed: Plain, src: np.ndarray, shape: LaunchShape) -> str:
    missing = np.flatnonzero(observed["times"] == 0)
    if not np.array_equal(observed["src"], src):
        return "`src` was changed. Which array is the copy?"
    if not missing.size:
        return "It was written, but with another element." if src.size else ""
    if missing.size == src.size:
        return (
            "Nothing was written. Does any thread come into the loop, and is the line in it an "
            "assignment, with one `=`?"
        )
    if np.array_equal(missing, np.arange(shape.blocks * shape.threads, src.size)):
        return "Each thread copied one element. There are more elements than threads: who goes on?"
    if np.array_equal(missing, np.arange(shape.threads, src.size)):
        return "Only as many elements as a block has threads were copied. Who takes the others?"
    if np.array_equal(missing, [src.size - 1]):
        return "Only the last element is missing. For which index does a thread stop?"
    if not observed["complete"]:
        return "It was stopped before it came there: a thread was still in its loop."
    return "Which thread should have copied it, and in which turn of its loop?"


def _sectors(observed: Plain) -> Iterable[Fault]:
    for name, operation in (("src", "load"), ("dst", "store")):
        traffic = read_traffic(observed[f"{name}_traffic"])
        yield from sector_faults(
            "sectors", traffic, operation, name, cause=_how_far(observed["together"])
        )


def _how_far(together: np.ndarray) -> str:
    """How far neighbouring threads are apart in the costliest request."""
    element = together[together >= 0]
    if element.size < 2:
        return "Only one thread of the warp is at work there. What do the other 31 do?"
    apart = np.abs(np.diff(element))
    if (apart == 1).all():
        return _why_not_whole(element)
    place = int(np.argmax(apart != 1))
    return (
        f"In one step, neighbouring threads take elements {_listed(element[place : place + 3])}: "
        f"{apart[place]} apart. Which elements should neighbours take in the same step?"
    )


def _why_not_whole(element: np.ndarray) -> str:
    """What is still amiss where neighbouring threads do take neighbouring elements."""
    first = int(element.min())
    if first % _SECTOR:
        return (
            "They are neighbours, as they should be, but the warp begins in the middle of a sector:"
            f" its first element is {first}, and sectors begin at multiples of {_SECTOR}. By how "
            "much does a thread go on in its loop?"
        )
    return f"They are neighbours, but only {element.size} of 32 lanes take part. Who else could?"


def _listed(element: np.ndarray) -> str:
    return ", ".join(str(int(i)) for i in element)


JUDGE = Judge(
    title="Neighbours should read neighbours",
    properties=(
        Property("every", "every element of `dst` is `src[i]`, for any n and any launch", 1),
        Property("once", "no element is read or written twice", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
        Property("sectors", "reads and writes come in whole sectors", 2),
    ),
    hints=(
        "2 blocks of 4 threads, 32 elements. In the blocked copy, thread 1 takes elements 4 to 7. "
        "Which elements do threads 0 to 3 want in their first step, and which would be neighbours?",
        "Let all threads of the grid together take one stretch of neighbouring elements, then all "
        "of them the next stretch. How long is a stretch?",
        "A loop over `range(cuda.grid(1), src.size, cuda.gridsize(1))`, and in it the line that "
        "copies.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "coalesced-copy": Prediction(
            "`per_thread` is 8: how many sectors does a warp ask for when it runs `src[i]` once?",
            truth=32,
            unit="sectors",
            because="Neighbouring threads are 8 float32 apart, 32 bytes: each lane needs a sector "
            "of its own, 1,024 bytes for the 128 that are wanted.",
        )
    },
)
