"""uninitialised: find the read of shared memory that nobody has written, and mend the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from gpuedu.exercises.compare import Misconception, array_fault, likely_cause
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.kernels.faults import (
    BARRIER,
    BELOW,
    LOOPS,
    OUTSIDE,
    RACE,
    UNWRITTEN,
    hazard_faults,
    wrapped_faults,
)
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings
from gpuedu.exercises.kernels.traffic import read_traffic

SIZE, THREADS = 100, 64
"""The elements that the given kernel gets, and the threads of its blocks."""

KEYS = ("line", "block", "index", "count")
_NAMES = {"line": "line that reads", "index": "first index", "count": "number of such reads"}
_LAUNCHES = ((100, 2), (128, 2), (1, 1), (63, 1), (65, 2), (200, 4), (33, 3))
_WAITS = RACE | BARRIER


def truths(size: int) -> Mapping[str, int]:
    """Who reads what nobody wrote, where the last block has fewer elements than threads."""
    last = size // THREADS
    return {"line": 12, "block": last, "index": size % THREADS, "count": THREADS - size % THREADS}


def _wrong(value: int, says: str) -> Misconception:
    return Misconception(lambda: value, says)


_KNOWN_LINES = (
    _wrong(
        11, "That is the `for`. The read is a line below; the first line of the cell is line 1."
    ),
    _wrong(7, "That line writes into `part`. Which one reads?"),
    _wrong(3, "There it gets its place, and nothing is read yet. Which line reads first?"),
    _wrong(13, "That line writes the sum. Where was the sum made?"),
)


def _known(key: str, size: int) -> tuple[Misconception, ...]:
    last, written = divmod(size, THREADS)
    return {
        "line": _KNOWN_LINES,
        "block": (
            _wrong(last + 1, "Blocks are counted from 0."),
            _wrong(0, "Block 0 has an element for each of its 64 threads."),
        ),
        "index": (
            _wrong(size, "That is an index of `x`. `part` begins anew in each block."),
            _wrong(written - 1, "That one was written, with the last element of `x`."),
            _wrong(written + 1, "There is one before it that nobody wrote."),
            _wrong(THREADS - 1, "That is the last one. Which is the first?"),
        ),
        "count": (
            _wrong(written, f"So many of `part` were written by block {last}. How many were not?"),
            _wrong(THREADS, "Some of them were written."),
            _wrong(THREADS - written - 1, "Count the first and the last, too."),
        ),
    }[key]


def cases(rng: np.random.Generator) -> list[Case]:
    """The values that were found, then the mended kernel with full, partial and empty blocks."""
    found = Case("your dict", {"ask": "found", "keys": list(KEYS)}, ("found",))
    return [found] + [_case(rng, *launch) for launch in _LAUNCHES]


def _case(rng: np.random.Generator, n: int, blocks: int) -> Case:
    inputs = {
        "ask": "kernel",
        # Whole numbers, so that float32 sums are exact in any order.
        "x": rng.integers(-500, 500, n).astype(np.float32),
        "out": rng.integers(100_000, 200_000, blocks).astype(np.float32),
        "blocks": blocks,
        "threads": THREADS,
    }
    decides = ("right", "written", "waits", "inside")
    return Case(f"n = {n}, {LaunchShape(blocks, THREADS)}", inputs, decides)


def verdict(case: Case, observed: Plain, size: int = SIZE) -> Iterable[Fault]:
    """A value that was found, or the mended kernel."""
    if case.inputs["ask"] == "found":
        for key in KEYS:
            yield from _found(key, observed[key], size)
        return
    yield from hazard_faults(observed, {LOOPS: "right"})
    x = case.inputs["x"].astype(np.float64)
    whole = np.zeros(case.inputs["blocks"] * THREADS)
    whole[: x.size] = x
    expected = whole.reshape(-1, THREADS).sum(axis=1)
    yield from array_fault(
        "right", observed["out"], expected, tolerance=0, cause=_cause(x, observed, expected)
    )
    yield from wrapped_faults("right", observed)
    if not np.array_equal(observed["x"], case.inputs["x"]):
        yield Fault("right", "`x` was changed by the kernel", "Where does the result go?")
    yield from hazard_faults(
        observed, {UNWRITTEN: "written", _WAITS: "waits", OUTSIDE: "inside"}, _question
    )
    if not observed["times"].any():
        for prop in ("written", "waits", "inside"):
            yield Fault(prop, "nothing was written into `out`, so this shows nothing yet")
    if _has_lost_threads(observed):
        yield Fault(
            "written",
            "the threads of a block did not all come to the barrier, so this shows nothing yet",
        )
    if not read_traffic(observed["shared_traffic"]).requests:
        for prop in ("written", "waits"):
            yield Fault(prop, "no thread used shared memory, so this shows nothing yet")


def _has_lost_threads(observed: Plain) -> bool:
    """Whether a barrier was left out by some: the machine stops the block there."""
    return any(seen.kind in BARRIER for seen in read_sightings(observed["sightings"]))


def _found(key: str, got: int, size: int) -> Iterable[Fault]:
    if got != truths(size)[key]:
        yield Fault(
            "found",
            f'`found["{key}"]` is {got}, and that is not the {_NAMES.get(key, key)}',
            likely_cause(got, _known(key, size), {}),
        )


def _cause(x: np.ndarray, observed: Plain, expected: np.ndarray) -> str:
    got = observed["out"].astype(np.float64)
    if not observed["times"].any():
        return "Which line writes into `out`?"
    if _has_lost_threads(observed):
        return "Not all threads of the block came to the barrier: nothing behind it is sure."
    if np.isnan(got).any():
        return (
            "NaN is what the machine leaves in shared memory that nobody has written: a sum with "
            "it is NaN."
        )
    if (observed["times"] == 0).any():
        return "Nobody wrote it. Every block writes its sum, also one without elements: 0."
    if np.array_equal(got, np.full(got.size, x.sum())):
        return "That is the sum of the whole array. Each block adds up its own elements."
    return "Which elements are the block's own, and are all of them in the sum, once?"


def _question(seen: Sighting) -> str:
    if seen.kind in UNWRITTEN:
        return (
            "Either nobody should read it, or somebody must write it first. Which thread could, "
            "and which value does not change a sum?"
        )
    if seen.kind in RACE and " writes " in seen.message and " wrote " in seen.message:
        return "Two threads write this place: which of them comes last?"
    if seen.kind in RACE:
        return "What makes the one wait until the other is done?"
    if seen.kind == "divergent-barrier":
        return "All threads of a block have to come to the barrier, also those without an element."
    if seen.kind == "negative-index":
        return BELOW
    if seen.index == (THREADS,):
        return "`part` has 64 elements, 0 to 63, in each block. Where does your loop end?"
    return "Which threads have no element of `x`, and what keeps them from reading one?"


def _prediction(size: int) -> Prediction:
    last, written = divmod(size, THREADS)
    return Prediction(
        f"{size} elements, {last + 1} blocks of {THREADS} threads: how many places of `part` does "
        f"block {last} leave unwritten?",
        truth=THREADS - written,
        unit="places",
        because=f"It has the elements {last * THREADS} to {size - 1}, {written} of them, and "
        f"{THREADS} places.",
    )


JUDGE = Judge(
    title="What was there before",
    properties=(
        Property("found", "line, block, index and count of the reads of what nobody wrote", 1),
        Property("right", "`out[b]` is the sum of block b's elements, for any n", 1),
        Property("written", "no thread reads shared memory that nobody has written", 1),
        Property("waits", "threads that use the same place wait for each other", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
    ),
    hints=(
        "The report's hazard names line, thread, block and index. How many elements has `part`, "
        "and how many did the block's threads write?",
        "Zero does not change a sum. What could a thread without an element of `x` write into its "
        "own place in `part`?",
        "Give the guard an `else` that writes `part[t] = 0`. The barrier stays behind it, where "
        "all threads come by.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={"uninitialised": _prediction(SIZE)},
)


def judge_of(size: int) -> Judge:
    """The judge where the given kernel gets another number of elements."""
    return replace(
        JUDGE,
        verdict=partial(verdict, size=size),
        predictions={"uninitialised": _prediction(size)},
    )
