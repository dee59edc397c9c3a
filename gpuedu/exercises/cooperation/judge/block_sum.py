"""block-sum: a tree over shared memory; whole warps work or rest, and no bank conflict."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from math import log2

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Finding, Judge, Plain, Prediction, Property
from gpuedu.exercises.cooperation.judge.sums import (
    SHOWS_NOTHING,
    endless_question,
    exit_notes,
    full_blocks_wrong,
    is_endless,
    sum_faults,
    sum_inputs,
)
from gpuedu.exercises.kernels.faults import ENDLESS, OUTSIDE, RACE, hazard_faults
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import Sighting
from gpuedu.exercises.kernels.traffic import read_traffic

_LAUNCHES = (
    # n, blocks, threads of a block
    (256, 1, 256),
    (64, 1, 64),
    (1000, 4, 256),
    (129, 2, 128),
    (70, 4, 32),
    (1, 1, 128),
    (512, 2, 256),
)
_SAFE = ("inside", "ordered", "barrier")
_COSTS = ("rounds", "whole-warps", "no-conflict")
_UNWRITTEN = frozenset({"uninitialised-read"})
_OTHERWISE = "Write down for 8 threads which two numbers are added in each round."
_LARGEST = 256
"""Threads of the largest block."""

_SPARE = 2
"""Turns beyond the logarithm: the one that finds the end, and one to come in."""


def cases(rng: np.random.Generator) -> list[Case]:
    """One block and several, full ones, one filled in part, and one without an element."""
    return [
        Case(f"n = {n}, {LaunchShape(blocks, threads)}", sum_inputs(rng, n, blocks, threads))
        for n, blocks, threads in _LAUNCHES
    ]


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """The sums, what the machine saw, then what it cost."""
    yield from sum_faults("sum", case.inputs, observed, _OTHERWISE)
    yield from hazard_faults(
        observed,
        {OUTSIDE | _UNWRITTEN: "inside", RACE: "ordered", ENDLESS: "barrier"},
        partial(_question, case.inputs["threads"], observed["barriers"]),
    )
    if full_blocks_wrong(case.inputs, observed):
        yield from _shows_nothing(case, observed)
        return
    yield from exit_notes(observed)
    yield from _rounds(case, observed)
    yield from _whole_warps(case, observed)
    yield from _no_conflict(observed)


def _question(threads: int, barriers: int, seen: Sighting) -> str:
    if seen.kind == "data-race" and seen.array == "sums":
        return "One thread of the block writes its sum. Which?"
    if seen.kind == "data-race" and " writes " in seen.message:
        return (
            "One thread changes a place that another one uses, in the same round. Write down for 8 "
            "threads who writes which place, and who reads it: who adds from where, and who should "
            "rest, so that no two meet?"
        )
    if seen.kind == "data-race":
        return (
            "Between what a thread writes and what another one reads there has to be a barrier, in "
            f"*every* round, also within a warp. This block passed {_many(barriers)}."
        )
    if seen.kind == "uninitialised-read" and seen.index and seen.index[0] >= threads:
        return f"A block has {threads} threads here, and nobody fills a place behind those."
    if seen.kind == "uninitialised-read":
        return "Every thread writes its place before the first barrier. What if it has no element?"
    if seen.kind == "out-of-bounds" and seen.array == "part":
        return "How far does the last thread reach that adds in this round? Should it add at all?"
    if seen.kind == "out-of-bounds":
        return "Which threads have no element in `x`, and which block has no place in `sums`?"
    return endless_question(seen.kind) or f"{seen.remedy[:1].upper()}{seen.remedy[1:]}."


def _shows_nothing(case: Case, observed: Plain) -> Iterable[Fault]:
    """Where the sums are wrong, what they cost says nothing; and less where no round was tried."""
    tried = read_traffic(observed["shared"]).of("load").lanes
    is_tree = 2 * tried >= case.inputs["blocks"] * case.inputs["threads"]
    for prop in _COSTS if is_tree or is_endless(observed) else (*_COSTS, *_SAFE):
        yield Fault(prop, SHOWS_NOTHING)


def _rounds(case: Case, observed: Plain) -> Iterable[Fault]:
    threads = case.inputs["threads"]
    most = round(log2(threads)) + _SPARE
    if observed["waits"] > most:
        yield Fault(
            "rounds",
            f"{observed['waits']:.0f} additions of a block meet at one address, and an atomic lets "
            "one through at a time",
            "How can many threads add at the same time, each at a place of its own?",
        )
    elif observed["rounds"] > most:
        yield Fault(
            "rounds",
            f"a thread comes {observed['rounds']} times to line {observed['rounds_line']}, "
            f"`{observed['rounds_text']}`, in a block of {threads} threads",
            f"If half of what is left is added to the other half, {most - _SPARE} rounds do it. "
            + _rounds_question(observed["rounds"]),
        )


def _rounds_question(rounds: int) -> str:
    """Too many rounds are those of a larger block, or additions one after the other."""
    if rounds <= log2(_LARGEST) + _SPARE:
        return "Which line tells the loop how many threads the block has?"
    return "How many threads add in your first round?"


def _whole_warps(case: Case, observed: Plain) -> Iterable[Fault]:
    partly = observed["partly"]
    if partly <= 1:
        return
    yield Fault(
        "whole-warps",
        f"in block {observed['partly_block']}, after {_many(observed['partly_epoch'])}, {partly} "
        f"warps run line {observed['partly_line']}, `{observed['partly_text']}`, with some of "
        "their lanes switched off",
        "Which `t` work in this step? If they are 0, 1, 2, ... without a gap, the first warps are "
        "full and the last ones have nothing to do.",
    )


def _many(barriers: int) -> str:
    return f"{barriers} barrier{'' if barriers == 1 else 's'}"


def _no_conflict(observed: Plain) -> Iterable[Fault]:
    worst = read_traffic(observed["shared"]).worst
    if worst is None:
        return
    yield Fault(
        "no-conflict",
        f"{worst.told} takes {worst.wavefronts} passes for {worst.requests} requests, and "
        f"{worst.ideal_wavefronts} would do",
        "Lanes whose places are 32 apart, or 64, want the same bank. How far apart are the places "
        "of neighbouring threads in this step?",
    )


JUDGE = Judge(
    title="Adding up in a block",
    properties=(
        Property("sum", "`sums[b]` is the sum of the elements of block `b`, for any n", 1),
        Property("inside", "nothing outside the arrays is touched, nothing unwritten is read", 1),
        Property("ordered", "a barrier stands between a write and any other thread's access", 1),
        Property("barrier", "all threads of the block come to every barrier", 1),
        Property("rounds", "a block takes as few rounds as it can: 8 for 256, 5 for 32", 1),
        Property("whole-warps", "in each step at most one warp of a block is partly active", 3),
        Property("no-conflict", "no request to shared memory takes more passes than it must", 1),
    ),
    hints=(
        "Write down 8 numbers and 4 threads that may work. Threads 0, 1, 2, 3 without a gap: which "
        "two numbers does each add, if no two use the same place? And which 2 threads go on?",
        "Fold the array: in the first round thread `t` of the first half adds `part[t + half]` to "
        "`part[t]`. Then half as many threads fold what is left.",
        "As in `sum_pairs`, with `half = cuda.blockDim.x // 2`; while `half > 0`: threads with "
        "`t < half` add `part[t + half]`, a barrier for all, `half //= 2`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "block-sum": Prediction(
            "the first round of `sum_pairs` in a block of 8 warps: how many have some lanes that "
            "add and some that do not?",
            truth=8,
            unit="warps",
            because="Every second lane adds, in every warp. Folded in the middle, 4 warps would "
            "add with all lanes, and 4 would have nothing to do.",
        )
    },
)
