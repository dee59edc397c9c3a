"""warp-sum: shuffles within a warp, then over the warps of a block."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Judge,
    Level,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.cooperation.block_work import line_of
from gpuedu.exercises.cooperation.judge.endings import is_endless, stopped_values
from gpuedu.exercises.cooperation.judge.sums import (
    SHOWS_NOTHING,
    block_sums,
    eighths,
    full_blocks_wrong,
    sum_inputs,
)
from gpuedu.exercises.kernels.faults import ENDLESS, OUTSIDE, RACE, UNWRITTEN, hazard_faults
from gpuedu.exercises.kernels.properties import UNDEFINED, right_values
from gpuedu.exercises.kernels.shapes import WARP_SIZE, LaunchShape
from gpuedu.exercises.kernels.sightings import read_sightings

_LAUNCHES = (
    # n, blocks, threads of a block
    (256, 1, 256),
    (32, 1, 32),
    (70, 4, 32),
    (1000, 2, 512),
    (1024, 1, 1024),
    (1500, 2, 992),
    (200, 3, 96),
    (33, 2, 64),
    (1, 1, 64),
)
_MASK = "warp-sync-mask"
_HAZARDS = {OUTSIDE | UNWRITTEN: "inside", RACE: "ordered", ENDLESS | {_MASK}: "together"}
_MOST_BARRIERS, _MOST_BYTES = 2, 8 * WARP_SIZE
"""A number a warp, in float64 at most."""

_MOST_TURNS = 8
"""A loop of five shuffles comes to its first line six times."""

_ONE_BY_ONE, _MOST_SUMS = 16, WARP_SIZE + 2
"""Turns in which a thread adds the sums of 32 warps, two or one at a time."""

_COSTS = ("together", "little")
_REST = ("sum", "inside", "ordered", "together", "little")


def cases(rng: np.random.Generator) -> list[Case]:
    """One warp by itself; then blocks of one to 32 warps, filled or not."""
    lanes = [
        Case(
            "a warp of 32 lanes",
            {"ask": "warp", "x": eighths(rng, WARP_SIZE)},
            ("warp", "little"),
        )
        for _ in range(2)
    ]
    return lanes + [
        Case(f"n = {n}, {LaunchShape(blocks, threads)}", sum_inputs(rng, n, blocks, threads), _REST)
        for n, blocks, threads in _LAUNCHES
    ]


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """The device function by itself, or the kernel: its hazards, and what it uses."""
    if case.inputs["ask"] == "warp":
        yield from _warp(case, observed)
        return
    yield from stopped_values("sum", observed)
    yield from hazard_faults(observed, _HAZARDS, lambda seen: "")
    if not full_blocks_wrong(case.inputs, observed):
        yield from _little(case, observed)
        return
    is_idle = (observed["sums"] == case.inputs["sums"]).all() and not is_endless(observed)
    for prop in (*_COSTS, "inside", "ordered") if is_idle else _COSTS:
        yield Undecided(prop, SHOWS_NOTHING)


def _warp(case: Case, observed: Plain) -> Iterable[Fault]:
    for seen in read_sightings(observed["sightings"]):
        if seen.is_hazard:
            yield Fault("warp", seen.told)
    got, expected = float(observed["got"][0]), float(case.inputs["x"].astype(np.float64).sum())
    if got != expected:
        yield Fault(
            "warp",
            f"lane 0 gets {show(got)}, expected {show(expected)}, the sum of 32 lanes",
        )
    turns = observed["rounds"]
    if turns > _MOST_TURNS:
        yield Fault(
            "little",
            f"in `warp_sum`, {line_of(observed, 'rounds')}, runs {turns} times, and five steps "
            "are enough",
        )


def _little(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    size, barriers, threads = observed["shared_bytes"], observed["barriers"], case.inputs["block"]
    if size > _MOST_BYTES:
        yield Fault(
            "little",
            f"a block takes {size} bytes of shared memory, and 32 float32 are {4 * WARP_SIZE}",
        )
    elif barriers > _MOST_BARRIERS:
        yield Fault("little", f"a block of {threads} threads passes {barriers} barriers")
    elif observed["waits"] > 2 * threads // WARP_SIZE:
        yield Fault(
            "little",
            f"{observed['waits']:.0f} additions of a block of {threads} threads meet at one "
            "address, and an atomic lets one through at a time",
        )
    elif observed["rounds"] > _MOST_SUMS:
        yield Fault(
            "little",
            f"{line_of(observed, 'rounds')}, runs {observed['rounds']} times in a block of "
            f"{threads} threads, and 32 warps have 32 sums",
        )
    elif observed["rounds"] >= _ONE_BY_ONE:
        yield Finding(
            Level.NOTE,
            f"{line_of(observed, 'rounds')}, runs {observed['rounds']} times in a block of "
            f"{threads} threads: one warp that calls `warp_sum` again would add the warps' sums in "
            "five steps. No points are taken",
        )


JUDGE = Judge(
    title="Passing values between lanes",
    properties=(
        Property(
            "warp",
            "`warp_sum` gives lane 0 the sum of its warp's 32 values",
            1,
            "How many lanes' values does lane 0 hold after each step (it should be 2, 4, 8, 16, "
            "32), and does each keep its fractions?",
        ),
        right_values(
            "sum",
            "`sums[b]` is the sum of the elements of block `b`, for any n",
            1,
            block_sums,
            output="sums",
            leaves=("x",),
            undefined=UNDEFINED | {_MASK},
            asks="Which lanes hold each warp's sum, where in `part` do they go, and which thread "
            "writes the result?",
        ),
        Property(
            "inside",
            "nothing outside the arrays is touched, nothing unwritten is read",
            1,
            "Which places of `x`, `part` and `sums` does each thread use, and which thread filled "
            "those that it reads?",
        ),
        Property(
            "ordered",
            "a barrier separates a write from any other thread's access",
            1,
            "Which thread writes that place, which other one uses it, and what makes one wait for "
            "the other?",
        ),
        Property(
            "together",
            "the lanes of a mask all come to the shuffle, all threads to a barrier",
            1,
            "Which lanes come to each shuffle, which threads to each barrier, and does every loop "
            "end?",
        ),
        Property(
            "little",
            "five steps a warp; one number a warp in shared memory; two barriers",
            1,
            "How many numbers does each level add, and how many steps, places of shared memory "
            "and barriers does it need?",
        ),
    ),
    hints=(
        "32 lanes, five steps: after the first, lane 0 should hold 2 values, then 4, 8, 16, 32. "
        "From how far does it take the value in each step?",
        "`value += cuda.shfl_down_sync(0xFFFFFFFF, value, d)` for `d` of 16, 8, 4, 2, 1. In the "
        "kernel all lanes call `warp_sum`; those past `n` bring a 0. Lane 0 of each warp writes "
        "its sum to `part[t // 32]`.",
        "After one barrier, `if t < 32:` the first warp calls `warp_sum` on `part[t]`, with a 0 "
        "where `t` is not below `cuda.blockDim.x // 32`; its lane 0 writes `sums`.",
    ),
    results=("warp", "sum"),
    cases=cases,
    verdict=verdict,
    predictions={
        "warp-sum": Prediction(
            "each warp adds its own numbers by shuffles, and one warp the warps' sums: how many "
            "barriers does the block need?",
            truth=1,
            exact=True,
            because="The warps' sums meet in shared memory, so one barrier has to come between "
            "writing and reading them. Within a warp none is needed: a shuffle waits for its "
            "lanes.",
        )
    },
)
