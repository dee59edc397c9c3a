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
)
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
from gpuedu.exercises.kernels.shapes import WARP_SIZE, LaunchShape
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings

_LAUNCHES = (
    # n, blocks, threads of a block
    (256, 1, 256),
    (32, 1, 32),
    (70, 4, 32),
    (1000, 2, 512),
    (1024, 1, 1024),
    (200, 3, 96),
    (33, 2, 64),
    (1, 1, 64),
)
_UNWRITTEN = frozenset({"uninitialised-read"})
_TOGETHER = ENDLESS | {"warp-sync-mask"}
_MOST_BARRIERS, _MOST_BYTES = 2, 8 * WARP_SIZE
"""A number a warp, in float64 at most."""

_MOST_TURNS = 8
"""A loop of five shuffles comes to its first line six times."""

_ONE_BY_ONE = 16
"""Turns in which a thread adds the sums of 32 warps, if it adds two at a time."""

_COSTS = ("together", "little")
_OTHERWISE = "If `warp_sum` is right: where in `part` is each warp's sum, and who adds them?"
_REST = ("sum", "inside", "ordered", "together", "little")


def cases(rng: np.random.Generator) -> list[Case]:
    """One warp by itself; then blocks of one to 32 warps, filled or not."""
    lanes = [
        Case(
            "a warp of 32 lanes",
            {"ask": "warp", "x": rng.integers(-900, 1000, WARP_SIZE).astype(np.float32)},
            ("warp", "little"),
        )
        for _ in range(2)
    ]
    return lanes + [
        Case(f"n = {n}, {LaunchShape(blocks, threads)}", sum_inputs(rng, n, blocks, threads), _REST)
        for n, blocks, threads in _LAUNCHES
    ]


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """The device function by itself, or the kernel: its sums, hazards, and what it uses."""
    if case.inputs["ask"] == "warp":
        yield from _warp(case, observed)
        return
    yield from sum_faults("sum", case.inputs, observed, _OTHERWISE)
    yield from hazard_faults(
        observed,
        {OUTSIDE | _UNWRITTEN: "inside", RACE: "ordered", _TOGETHER: "together"},
        _question,
    )
    if not full_blocks_wrong(case.inputs, observed):
        yield from exit_notes(observed)
        yield from _little(case, observed)
        return
    is_idle = (observed["sums"] == case.inputs["sums"]).all() and not is_endless(observed)
    for prop in (*_COSTS, "inside", "ordered") if is_idle else _COSTS:
        yield Fault(prop, SHOWS_NOTHING)


def _warp(case: Case, observed: Plain) -> Iterable[Fault]:
    x, got = case.inputs["x"], observed["got"]
    expected = float(x.astype(np.float64).sum())
    if got[0] != expected:
        yield Fault(
            "warp",
            f"lane 0 gets {show(float(got[0]))}, expected {show(expected)}, the sum of 32 lanes",
            _warp_cause(x.astype(np.float64), got),
        )
    for seen in read_sightings(observed["sightings"]):
        if seen.is_hazard:
            yield Fault("warp", seen.told, _question(seen))
    turns = observed["rounds"]
    if turns > _MOST_TURNS:
        yield Fault(
            "little",
            f"in `warp_sum`, line {observed['rounds_line']}, `{observed['rounds_text']}`, runs "
            f"{turns} times, and five steps do it",
            "Each step can double how many lanes' values a lane holds. From how far does it take "
            "the next ones?",
        )


def _warp_cause(x: np.ndarray, got: np.ndarray) -> str:
    """The steps that lead to what lane 0 has."""
    if got[31] == x.sum():
        return "Lane 31 has the sum. In which direction do the values go?"
    if got[0] == x[0]:
        return "That is its own value. Is what the shuffle gives added, and returned?"
    if got[0] == x[31]:
        return "That is lane 31's own value. Each step should add, and yours replaces."
    if got[0] == 32 * x[0]:
        return (
            "That is 32 times its own value: it never got another lane's. From which lanes does "
            "`shfl_up_sync` take?"
        )
    if got[0] == 2 * x.sum():
        return "That is twice the sum. A distance of 32 counts as 0: where should `d` begin?"
    for steps in range(1, 5):
        if got[0] == x[: 2**steps].sum():
            return f"That is the sum of lanes 0 to {2**steps - 1}. Which distance is missing?"
        if got[0] == x[:: 32 // 2**steps].sum():
            return f"That has one lane in {32 // 2**steps}. Which distance is missing?"
    return "How many lanes' values does lane 0 hold after each step? It should be 2, 4, 8, 16, 32."


def _question(seen: Sighting) -> str:
    if seen.kind == "warp-sync-mask" and "does not name it" in seen.message:
        return "The mask has a bit for each lane that takes part. Which number has 32 ones?"
    if seen.kind == "warp-sync-mask":
        return (
            "All 32 lanes that the mask names come to a shuffle, also those without an element. "
            "Does it, or a call of `warp_sum`, stand inside an `if` that splits a warp?"
        )
    if seen.kind == "data-race":
        return (
            "Where a thread reads what another one wrote to memory there has to be a barrier "
            "between, also within a warp. And one thread of the block writes its sum."
        )
    if seen.kind == "uninitialised-read":
        return "How many warps does this block have, and which places of `part` do they fill?"
    if seen.kind == "out-of-bounds":
        return "Which threads have no element in `x`? A block has up to 32 warps: is there room?"
    return endless_question(seen.kind) or f"{seen.remedy[:1].upper()}{seen.remedy[1:]}."


def _little(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    size, barriers = observed["shared_bytes"], observed["barriers"]
    if size > _MOST_BYTES:
        yield Fault(
            "little",
            f"a block takes {size} bytes of shared memory, and 32 float32 are {4 * WARP_SIZE}",
            "What does a warp need to keep there, when its own numbers are added already?",
        )
    elif barriers > _MOST_BARRIERS:
        yield Fault(
            "little",
            f"a block of {case.inputs['threads']} threads passes {barriers} barriers",
            "Within a warp, shuffles need none. Between which two levels is one needed?",
        )
    elif observed["rounds"] >= _ONE_BY_ONE:
        yield Finding(
            Level.NOTE,
            f"line {observed['rounds_line']}, `{observed['rounds_text']}`, runs "
            f"{observed['rounds']} times in a block of {case.inputs['threads']} threads: one warp "
            "that calls `warp_sum` again would add the warps' sums in five steps. No points are "
            "taken",
        )


JUDGE = Judge(
    title="Lanes that hand over values",
    properties=(
        Property("warp", "`warp_sum` gives lane 0 the sum of its warp's 32 values", 1),
        Property("sum", "`sums[b]` is the sum of the elements of block `b`, for any n", 1),
        Property("inside", "nothing outside the arrays is touched, nothing unwritten is read", 1),
        Property("ordered", "a barrier stands between a write and any other thread's access", 1),
        Property(
            "together", "the lanes of a mask all come to the shuffle, all threads to a barrier", 1
        ),
        Property(
            "little",
            "five steps a warp; one number a warp in shared memory; two barriers",
            1,
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
    cases=cases,
    verdict=verdict,
    predictions={
        "warp-sum": Prediction(
            "each warp adds its own numbers by shuffles, and one warp the warps' sums: how many "
            "barriers does the block need?",
            truth=1,
            because="The warps' sums meet in shared memory, so one barrier stands between writing "
            "and reading them. Within a warp none is needed: a shuffle waits for its lanes.",
        )
    },
)
