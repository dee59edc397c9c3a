"""any-order: where each sequence starts, whatever the order in which blocks run."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Judge,
    Level,
    Plain,
    Prediction,
    Property,
)
from gpuedu.exercises.kernels.faults import OUTSIDE, RACE, hazard_faults, idle_faults
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import read_sightings


def cases(rng: np.random.Generator) -> list[Case]:
    """One thread a block in order, as the given kernel wants it; then every other order."""
    drawn = [_case(rng, n, n, 1, "in order", range(n)) for n in (6, 12)]
    for n, blocks, threads in ((6, 6, 1), (100, 4, 32), (129, 3, 64)):
        drawn.append(_case(rng, n, blocks, threads, "in reverse", range(blocks)[::-1]))
        mixed = rng.permutation(blocks)
        while np.array_equal(mixed, np.arange(blocks)):
            mixed = rng.permutation(blocks)
        drawn.append(_case(rng, n, blocks, threads, f"in the order {_told(mixed)}", mixed))
        drawn.append(_case(rng, n, blocks, threads, "all at once", None))
    return drawn


def _told(order: np.ndarray) -> str:
    return ", ".join(map(str, order))


def _case(
    rng: np.random.Generator, n: int, blocks: int, threads: int, says: str, order: object
) -> Case:
    inputs = {
        "lengths": rng.integers(1, 60, n, dtype=np.int32),
        "start": -rng.integers(100, 900, n, dtype=np.int32),  # what stood there before
        "blocks": blocks,
        "threads": threads,
        "order": None if order is None else np.asarray(order, np.int64),
    }
    prop = "in-order" if says == "in order" else "any-order"
    label = f"{n} lengths, {LaunchShape(blocks, threads)}, {says}"
    return Case(label, inputs, (prop, "no-race", "inside"))


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Values, then races between threads, then the bounds."""
    lengths = case.inputs["lengths"].astype(np.int64)
    expected = np.cumsum(lengths) - lengths
    prop = case.decides[0]
    yield from array_fault(
        prop,
        observed["start"],
        expected.astype(np.float64),
        tolerance=0,
        name="start",
        cause=_cause(case, observed, expected),
    )
    if not np.array_equal(observed["lengths"], lengths):
        yield Fault(prop, "`lengths` was changed by the kernel", "Where does the result go?")
    yield from hazard_faults(
        observed,
        {RACE: "no-race", OUTSIDE: "inside"},
        {
            "data-race": "Nothing says which of the two comes first. Can a thread work from "
            "`lengths` alone, which nobody writes?",
            "negative-index": "Which sequence has none before it?",
            "out-of-bounds": "Which threads have no sequence?",
        },
    )
    yield from idle_faults(observed, ("no-race", "inside"), "start")
    yield from _lonely(case, observed)


def _cause(case: Case, observed: Plain, expected: np.ndarray) -> str:
    got = observed["start"].astype(np.int64)
    lengths, before = case.inputs["lengths"].astype(np.int64), case.inputs["start"]
    if not observed["times"].any():
        return "Which line writes into `start`?"
    if np.array_equal(got, expected + lengths):
        return "That is where each sequence ends. Does it contain its own length?"
    if np.array_equal(got, expected + before):
        return "That adds to what stood in `start` before. Where does your sum begin?"
    if got[0] != 0:
        return "The first sequence starts at 0."
    if np.array_equal(got, expected - lengths[0] * (np.arange(got.size) > 0)):
        return "The first length is missing in all sums."
    if np.array_equal(got[1:], lengths[:-1]):
        return "That is the length of the one sequence before. What about those before it?"
    if any(seen.kind in RACE for seen in read_sightings(observed["sightings"])):
        return "In this order, which values did a thread read that were not there yet?"
    first = np.arange(got.size) // case.inputs["threads"] * case.inputs["threads"]
    if np.array_equal(got, expected - expected[first]):
        return "Each block counts from its own first sequence. What lies before that?"
    if (observed["times"] == 0).any():
        return "What is wrong still holds what stood there before. Which thread should write it?"
    return ""


def _lonely(case: Case, observed: Plain) -> Iterable[Finding]:
    """One thread that does it all is right, and alone."""
    writers = np.unique(observed["first"][observed["first"] >= 0])
    if writers.size == 1 and observed["start"].size == 100:
        yield Finding(
            Level.NOTE,
            "one thread wrote all of `start`, and all others had nothing to do. Here no thread "
            "needs another: each could work out its own.",
        )


JUDGE = Judge(
    title="Blocks have no order",
    properties=(
        Property("in-order", "right with one thread a block, blocks in order", 1),
        Property("any-order", "right in any order of blocks, with any launch", 1),
        Property("no-race", "no thread reads what another one writes", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
    ),
    hints=(
        "`start[b - 1]` is written by another block. Where else is what you need to know, in an "
        "array that nobody writes?",
        "A sequence starts behind all those before it: add up `lengths[0]` to `lengths[i - 1]`. "
        "Each thread can do that for itself.",
        "With `i = cuda.grid(1)` and the guard: begin with 0, add `lengths[k]` for each `k` in "
        "`range(i)`, and write the sum into `start[i]`. No line reads `start`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "any-order": Prediction(
            "`start` is all zeros and the blocks run in reverse: what is in `start[5]` at the end?",
            truth=6,
            because="Block 5 runs first. It reads `start[4]`, which is still 0, and adds "
            "`lengths[4]`, which is 6. Nobody comes back to mend it.",
        )
    },
)
