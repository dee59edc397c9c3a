"""scan: inclusive in a block, then over blocks by two more launches."""

from __future__ import annotations

from collections.abc import Iterable
from math import log2

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Inputs,
    Judge,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.cooperation.block_work import line_of
from gpuedu.exercises.cooperation.judge.endings import is_endless, stopped_values
from gpuedu.exercises.kernels.faults import (
    ENDLESS,
    OUTSIDE,
    RACE,
    UNWRITTEN,
    hazard_faults,
    wrapped_faults,
)
from gpuedu.exercises.kernels.properties import left_to_chance
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.traffic import read_traffic

_SMALL, _BELOW, _LARGE = (-90, 100), (-190, 60), (-(10**6), 2 * 10**6)
"""Elements of either sign: small ones; those whose sums fall below 0; those whose sums float32
cannot hold."""

_LAUNCHES = (
    # n, blocks, threads of a block, least and largest element
    (256, 1, 256, _SMALL),
    (32, 1, 32, _SMALL),
    (128, 4, 32, _SMALL),
    (1000, 4, 256, _SMALL),
    (300, 5, 64, _BELOW),
    (1, 1, 64, _SMALL),
    (129, 2, 128, _LARGE),
    (900, 4, 256, _BELOW),
)
_MASK = "warp-sync-mask"
_HAZARDS = {OUTSIDE | UNWRITTEN: "inside", RACE: "ordered", ENDLESS | {_MASK}: "barrier"}
_SPARE = 2


def cases(rng: np.random.Generator) -> list[Case]:
    """One block, full and nearly empty; at least four; a last one filled in part; all signs."""
    return [_case(rng, *launch) for launch in _LAUNCHES]


def _case(
    rng: np.random.Generator, n: int, blocks: int, threads: int, elements: tuple[int, int]
) -> Case:
    inputs = {
        "x": rng.integers(*elements, n, dtype=np.int32),
        "out": -rng.integers(2 * 10**9, 2**31, n, dtype=np.int32),  # no sum is that small
        "totals": -rng.integers(2 * 10**9, 2**31, blocks, dtype=np.int32),
        "grid": blocks,
        "block": threads,
    }
    return Case(f"n = {n}, {LaunchShape(blocks, threads)}", inputs)


def scan_of_blocks(inputs: Inputs) -> tuple[np.ndarray, np.ndarray]:
    """(n,) int64, each block's own scan, and (grid,) int64, the sum of each block's elements.

    >>> scan_of_blocks({"x": np.array([3, 1, 4]), "grid": 2, "block": 2})
    (array([3, 4, 4]), array([4, 4]))
    """
    x, blocks, threads = inputs["x"], inputs["grid"], inputs["block"]
    rows = np.zeros(blocks * threads, np.int64)
    rows[: x.size] = x
    scans = np.cumsum(rows.reshape(blocks, threads), axis=1)
    return scans.ravel()[: x.size], scans[:, -1]


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Each block by itself, the totals, the whole, hazards, and the rounds."""
    later = {"sightings": observed["later.sightings"]}
    for prop in ("block", "totals", "everywhere"):
        yield from stopped_values(prop, observed)
        yield from left_to_chance(prop, observed)
    yield from left_to_chance("everywhere", later)
    scanned, totals = scan_of_blocks(case.inputs)
    is_scanned = np.array_equal(observed["scanned"], scanned)
    yield from array_fault("block", observed["scanned"], scanned, tolerance=0)
    yield from array_fault("totals", observed["totals"], totals, tolerance=0, name="totals")
    everywhere = np.cumsum(case.inputs["x"].astype(np.int64))
    for fault in array_fault("everywhere", observed["out"], everywhere, tolerance=0):
        if is_scanned and np.array_equal(observed["totals"], totals):
            yield fault
        else:
            yield Undecided("everywhere", "the first launch is not right yet")
    for launch in (observed, later):
        yield from wrapped_faults("block", launch)
        yield from hazard_faults(launch, _HAZARDS, lambda seen: "")
    if not np.array_equal(observed["x"], case.inputs["x"]):
        yield Fault("block", "`x` was changed by the kernel")
    yield from _rounds(case, observed) if is_scanned else _shows_nothing(case, observed)


def _rounds(case: Case, observed: Plain) -> Iterable[Fault]:
    threads = case.inputs["block"]
    rounds = round(log2(threads))
    if observed["rounds"] > 2 * rounds + _SPARE:
        yield Fault(
            "rounds",
            f"a thread comes {observed['rounds']} times to {line_of(observed, 'rounds')}, in a "
            f"block of {threads} threads; {rounds} rounds are enough",
        )
    elif observed["last rounds"] > 2 * rounds + _SPARE:
        yield Fault(
            "rounds",
            f"in the third launch, a thread comes {observed['last rounds']} times to "
            f"{line_of(observed, 'last rounds')}, and has one element",
        )


def _shows_nothing(case: Case, observed: Plain) -> Iterable[Fault]:
    """Where the scan is wrong, its rounds say nothing; and less where no round was tried."""
    tried = read_traffic(observed["shared.traffic"]).of("load").lanes
    is_tried = tried >= 2 * case.inputs["x"].size or is_endless(observed)
    for prop in ("rounds",) if is_tried else ("rounds", *_HAZARDS.values()):
        yield Undecided(prop, "the blocks' scans are not right here")


JUDGE = Judge(
    title="Running sums",
    properties=(
        Property(
            "block",
            "after `scan_block`, every block's part of `out` is its own scan",
            1,
            "In a block of 8 numbers: what is in each place of `part` after each round, and where "
            "does it go?",
        ),
        Property(
            "totals",
            "`totals[b]` is the sum of the elements of block `b`",
            1,
            "Which place of `part` holds the sum of the whole block, and which thread writes it?",
        ),
        Property(
            "everywhere",
            "after all three launches, `out[i]` is `x[0] + ... + x[i]`",
            1,
            "What comes before the elements of block `b`, and which threads add it to what?",
        ),
        Property(
            "inside",
            "nothing outside the arrays is touched, nothing unwritten is read",
            1,
            "Which places of each array does a thread use, and which thread filled those that it "
            "reads?",
        ),
        Property(
            "ordered",
            "a barrier separates a write from any other thread's access",
            1,
            "Which thread writes that place, which other one uses it, and what makes one wait for "
            "the other?",
        ),
        Property(
            "barrier",
            "all threads of the block come to every barrier",
            1,
            "Does every thread come to each barrier, and does every loop end?",
        ),
        Property(
            "rounds",
            "a block of 256 takes 8 rounds, not 255 additions in a row",
            1,
            "How far does each round reach, and how many rounds does a block of that size need?",
        ),
    ),
    hints=(
        "Take 8 numbers. In the round with distance `d`, which places change, and which number "
        "does thread `t` need that another thread is about to change?",
        "Each round in two halves: every thread takes the number `d` places before its own into a "
        "variable (0 where there is none); a barrier; every thread adds it to its own place; a "
        "barrier. Then `d` doubles.",
        "`d = 1`; while `d < cuda.blockDim.x`: the two halves, then `d *= 2`. After the loop, "
        "`out[i]` for those with an element, and `totals` by the block's last thread. In "
        "`add_before`, every block but the first adds the `upto` of the block before it.",
    ),
    results=("block", "totals", "everywhere"),
    cases=cases,
    verdict=verdict,
    predictions={
        "scan": Prediction(
            "three launches with 256 threads a block: how many elements can they scan at most?",
            truth=65_536,
            unit="elements",
            because="The second launch is one block, so it takes 256 totals, of blocks with 256 "
            "elements each. For more, the totals are scanned by three launches, too.",
        )
    },
)
