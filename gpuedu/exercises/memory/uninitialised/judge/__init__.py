"""uninitialised: find the read of shared memory that nobody has written, and mend the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.kernels.faults import (
    BARRIER,
    OUTSIDE,
    RACE,
    UNWRITTEN,
    WAITS,
)
from gpuedu.exercises.kernels.properties import no_hazard, right_values
from gpuedu.exercises.kernels.shapes import LaunchShape

SIZE, THREADS = 100, 64
"""The elements that the given kernel gets, and the threads of its blocks."""

_NAMES = {"line": "line that reads", "index": "first index", "count": "number of such reads"}
_LAUNCHES = ((100, 2), (128, 2), (1, 1), (63, 1), (65, 2), (200, 4), (33, 3))


def truths(size: int) -> Mapping[str, int]:
    """The reads of what nobody wrote, where the last block has fewer elements than threads."""
    last = size // THREADS
    return {"line": 12, "block": last, "index": size % THREADS, "count": THREADS - size % THREADS}


def cases(rng: np.random.Generator) -> list[Case]:
    """The values that were found, then the mended kernel with full, partial and empty blocks."""
    found = Case("your dict", {"ask": "found", "keys": list(truths(SIZE))}, ("found",))
    return [found] + [_case(rng, *launch) for launch in _LAUNCHES]


def _case(rng: np.random.Generator, n: int, blocks: int) -> Case:
    inputs = {
        "ask": "kernel",
        # Quarters, so that float32 sums are exact in any order, and whole numbers do not do.
        "x": (rng.integers(-2000, 2000, n) / 4).astype(np.float32),
        "out": rng.integers(100_000, 200_000, blocks).astype(np.float32),
        "grid": blocks,
        "block": THREADS,
    }
    decides = ("right", "written", "waits", "inside")
    return Case(f"n = {n}, {LaunchShape(blocks, THREADS)}", inputs, decides)


def sums(inputs: Inputs) -> np.ndarray:
    """The sum of each block's elements, in float64."""
    whole = np.zeros(inputs["grid"] * THREADS)
    whole[: inputs["x"].size] = inputs["x"]
    return whole.reshape(-1, THREADS).sum(axis=1)


def verdict(case: Case, observed: Plain, size: int = SIZE) -> Iterable[Fault]:
    """The values that were found, where the given kernel gets ``size`` elements.

    And of a kernel who writes each sum.
    """
    if case.inputs["ask"] != "found":
        yield from _several_writers(case, observed)
        return
    for key, right in truths(size).items():
        if observed[key] != right:
            what = _NAMES.get(key, key)
            yield Fault("found", f'`found["{key}"]` is {observed[key]}, and that is not the {what}')


def _several_writers(case: Case, observed: Plain) -> Iterable[Fault]:
    """A sum that is written by more than one thread."""
    first, second = observed["out.first"], observed["out.second"]
    shape = LaunchShape(case.inputs["grid"], case.inputs["block"])
    for block in np.flatnonzero(second >= 0)[:1]:
        by = f"{shape.name_thread(int(first[block]))} and {shape.name_thread(int(second[block]))}"
        told = f"`out[{block}]` was written by {by}"
        yield Fault("right", told, "Whose is the sum, and which threads come to that line?")


def _prediction(size: int) -> Prediction:
    last, written = divmod(size, THREADS)
    return Prediction(
        f"{size} elements, {last + 1} blocks of {THREADS} threads: how many places of `part` does "
        f"block {last} leave unwritten?",
        truth=THREADS - written,
        exact=True,
        unit="places",
        because=f"It has the elements {last * THREADS} to {size - 1}, {written} of them, and "
        f"{THREADS} places.",
    )


JUDGE = Judge(
    title="What was there before",
    properties=(
        Property(
            "found",
            "line, block, index and count of the reads of what nobody wrote",
            1,
            "Which part of the report's hazard says that?",
        ),
        right_values(
            "right",
            "`out[b]` is the sum of block b's elements, for any n, and one thread writes it",
            1,
            sums,
            leaves=("x",),
            undefined=WAITS,
            must_end=True,
            asks="Which elements are the block's own, and are all of them in the sum, once?",
        ),
        no_hazard(
            "written",
            "no thread reads shared memory that nobody has written",
            1,
            UNWRITTEN,
            "Either nobody should read it, or somebody must write it first. Which thread could, "
            "and which value does not change a sum?",
            enough=1,
            in_shared=True,
            unless=BARRIER,
        ),
        no_hazard(
            "waits",
            "all threads come to the barrier; those that use the same place wait for each other",
            1,
            RACE | BARRIER,
            "Which thread writes that place, which one uses it, and where do all threads of the "
            "block wait?",
            enough=1,
            in_shared=True,
        ),
        no_hazard(
            "inside",
            "no thread reads or writes outside the arrays",
            1,
            OUTSIDE,
            "Which indices does this array have, and what keeps a thread from using others?",
            enough=1,
        ),
    ),
    hints=(
        "The report's hazard names line, thread, block and index. How many elements does `part` "
        "have, and how many did the block's threads write?",
        "Zero does not change a sum. What could a thread without an element of `x` write into its "
        "own place in `part`?",
        "Give the guard an `else` that writes `part[t] = 0`. The barrier stays after it, where "
        "all threads come by.",
    ),
    results=("right",),
    apart=("found",),
    cases=cases,
    verdict=verdict,
    predictions={"uninitialised": _prediction(SIZE)},
    varies=("shared.traffic", "shared.handed"),
)


def judge_of(size: int) -> Judge:
    """The judge where the given kernel gets another number of elements."""
    return replace(
        JUDGE,
        verdict=partial(verdict, size=size),
        predictions={"uninitialised": _prediction(size)},
    )
