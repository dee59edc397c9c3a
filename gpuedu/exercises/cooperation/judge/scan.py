"""scan: inclusive in a block, then over blocks by two more launches."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from math import log2

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Finding, Judge, Plain, Prediction, Property
from gpuedu.exercises.cooperation.judge.sums import endless_question, is_endless
from gpuedu.exercises.kernels.faults import ENDLESS, OUTSIDE, RACE, hazard_faults, wrapped_faults
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings
from gpuedu.exercises.kernels.traffic import read_traffic

_LAUNCHES = (
    # n, blocks, threads of a block
    (256, 1, 256),
    (32, 1, 32),
    (128, 4, 32),
    (1000, 4, 256),
    (300, 5, 64),
    (1, 1, 64),
    (129, 2, 128),
)
_UNWRITTEN = frozenset({"uninitialised-read"})
_SPARE = 2
_ASKED = {
    "x": "`x` is read before the rounds, and what the rounds need is in `part`.",
    "part": "How far does thread `t` look in this round? Its place in `part` is `t`, not `i`.",
    "upto": "`upto` has a number for each block. Which one is added by all threads of block `b`?",
}


def cases(rng: np.random.Generator) -> list[Case]:
    """One block, full and nearly empty; at least four; a last one filled in part."""
    return [_case(rng, *launch) for launch in _LAUNCHES]


def _case(rng: np.random.Generator, n: int, blocks: int, threads: int) -> Case:
    inputs = {
        "x": rng.integers(-90, 100, n, dtype=np.int32),
        "out": -rng.integers(10**6, 10**7, n, dtype=np.int32),  # no sum is that small
        "totals": -rng.integers(10**6, 10**7, blocks, dtype=np.int32),
        "blocks": blocks,
        "threads": threads,
    }
    return Case(f"n = {n}, {LaunchShape(blocks, threads)}", inputs)


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Each block by itself, the totals, the whole, hazards, and the rounds."""
    x, blocks, threads = (case.inputs[name] for name in ("x", "blocks", "threads"))
    rows = _rows(x, blocks, threads)
    scans, totals = np.cumsum(rows, axis=1), rows.sum(axis=1)
    scanned = scans.ravel()[: x.size]
    yield from array_fault(
        "block",
        observed["scanned"],
        scanned,
        tolerance=0,
        cause=_block_cause(case, observed, rows),
    )
    yield from array_fault(
        "totals",
        observed["totals"],
        totals,
        tolerance=0,
        name="totals",
        cause=_totals_cause(case, observed, totals),
    )
    is_scanned = np.array_equal(observed["scanned"], scanned)
    is_ready = is_scanned and np.array_equal(observed["totals"], totals)
    yield from _everywhere(case, observed, totals, is_ready)
    yield from wrapped_faults("block", observed)
    if not np.array_equal(observed["x"], x):
        yield Fault("block", "`x` was changed by the kernel", "`x` is only read; see `part`.")
    yield from hazard_faults(
        observed,
        {OUTSIDE | _UNWRITTEN: "inside", RACE: "ordered", ENDLESS: "barrier"},
        partial(_question, threads),
    )
    yield from _rounds(case, observed) if is_scanned else _shows_nothing(case, observed)


def _rows(x: np.ndarray, blocks: int, threads: int) -> np.ndarray:
    """(blocks, threads) int64: each block's elements, with a 0 where it has none."""
    rows = np.zeros(blocks * threads, np.int64)
    rows[: x.size] = x
    return rows.reshape(blocks, threads)


def _block_cause(case: Case, observed: Plain, rows: np.ndarray) -> str:
    got = _rows(observed["scanned"], *rows.shape)
    before, inside = (
        case.inputs["out"],
        np.arange(rows.size).reshape(rows.shape) < len(case.inputs["out"]),
    )
    if not observed["complete"]:
        return "The launch was stopped before its end; see the other properties."
    if np.array_equal(observed["scanned"], before):
        return "Nothing was written into `out`. Which line does it, and which threads reach it?"
    scans = np.cumsum(rows, axis=1)
    if np.array_equal(got, np.where(inside, scans - rows, 0)):
        return "That is the sum of all elements *before* each one. Here its own is included."
    if np.array_equal(got, np.where(inside, rows, 0)):
        return "That is `x` itself. Do the rounds change what the last line writes?"
    d = 1
    while d < rows.shape[1] // 2:
        if np.array_equal(got, np.where(inside, _window(rows, 2 * d), 0)):
            return f"Each has the sum of {2 * d} elements at most. How far does the last round go?"
        d *= 2
    seen = {(one.kind, one.array == "out") for one in read_sightings(observed["sightings"])}
    if ("data-race", True) in seen:
        return "Blocks write over each other in `out`. Which index is a thread's own in the grid?"
    if ("data-race", False) in seen:
        return "Some threads read a number that this round had changed already; see below."
    if ("uninitialised-read", False) in seen:
        return "Something was added that nobody wrote; see below."
    if np.array_equal(got[:, 0], rows[:, 0]):
        return "Write down 8 numbers, and what stands in `part` after each round."
    return "A block's first element has nothing before it. What does thread 0 add?"


def _window(rows: np.ndarray, width: int) -> np.ndarray:
    """Each element with up to ``width - 1`` before it, in its block."""
    scans = np.cumsum(rows, axis=1)
    earlier = np.zeros_like(scans)
    earlier[:, width:] = scans[:, :-width]
    return scans - earlier


def _totals_cause(case: Case, observed: Plain, totals: np.ndarray) -> str:
    got, before = observed["totals"].astype(np.int64), case.inputs["totals"]
    threads = case.inputs["threads"]
    wrong = np.flatnonzero(got != totals)
    if not wrong.size or not observed["complete"]:
        return ""
    if np.array_equal(got[wrong], before[wrong]):
        if wrong.size == got.size:
            return (
                f"It was not written. Which of a block's {threads} threads has its sum at the end?"
            )
        return (
            "It was not written: the block is filled in part. Its last thread has no element, but "
            "its place in `part` holds a sum all the same."
        )
    rows = _rows(case.inputs["x"], got.size, threads)
    if np.array_equal(got, totals - rows[:, -1]) and rows[:, -1].any():
        return "The block's last element is missing. Which place of `part` holds the whole sum?"
    if np.array_equal(got, rows[:, 0]):
        return "That is the block's first element. Which place of `part` holds the whole sum?"
    if np.array_equal(got, rows[:, -1]):
        return "That is the block's last element. Is it the scan that is written?"
    return "The sum of a block is the last number of its scan, whatever the block is filled with."


def _everywhere(case: Case, observed: Plain, totals: np.ndarray, is_ready: bool) -> Iterable[Fault]:
    expected = np.cumsum(case.inputs["x"].astype(np.int64))
    block = np.arange(expected.size) // case.inputs["threads"]
    got, upto = observed["out"].astype(np.int64), np.cumsum(totals)
    if not is_ready:
        cause = "The first launch is not right yet; mend that first."
    elif np.array_equal(got, expected - upto[block] + totals[block]):
        cause = "Nothing was added to the blocks' own scans. What comes before block `b`?"
    elif _is_part(got, expected, expected - upto[block] + totals[block]):
        cause = "Some elements are as the first launch left them. Which threads add?"
    elif upto.size > 1 and np.array_equal(got[block > 0], (upto - totals)[block][block > 0]):
        cause = "What comes before each block is there, and its own scan is gone."
    elif np.array_equal(got[block > 0], expected[block > 0]) and _wraps_round(observed):
        cause = "Block 0 has no block before it: `upto[-1]` is the last one. Who adds nothing?"
    elif np.array_equal(got, expected + totals[block]):
        cause = "Each block also added its own sum. In which place of `upto` does block `b` look?"
    elif np.array_equal(got[block == 0], expected[block == 0]):
        cause = "The first block is right. `upto[b]` is the sum of all blocks up to `b`, included."
    else:
        cause = "Nothing comes before block 0, so nothing is added there."
    yield from array_fault("everywhere", observed["out"], expected, tolerance=0, cause=cause)


def _wraps_round(observed: Plain) -> bool:
    """Whether a block looked before the first of the other blocks' sums."""
    found = read_sightings(observed["sightings"])
    return any(one.kind == "negative-index" and one.array == "upto" for one in found)


def _is_part(got: np.ndarray, done: np.ndarray, before: np.ndarray) -> bool:
    """Whether every block but the first has an element that is done, and one left as before."""
    return bool((np.where(got == done, done, before) == got).all())


def _question(threads: int, seen: Sighting) -> str:
    if seen.kind == "data-race" and seen.array in ("totals", "out", "upto"):
        return "Two threads want the same place. Which one thread should write it?"
    if seen.kind == "data-race":
        return (
            "In one round every thread reads its neighbour's number and changes its own. What has "
            "to happen between the reading of all and the writing of all, and before the next "
            "round?"
        )
    if seen.kind == "uninitialised-read" and not seen.index:
        return "What does a thread take that has nothing so far before it? Give it a 0."
    if seen.kind == "uninitialised-read" and seen.index[-1] >= threads:
        return f"A block of {threads} threads fills `part[0]` to `part[{threads - 1}]`."
    if seen.kind == "uninitialised-read":
        return "Which place of `part` has nobody filled? Threads without an element bring a 0."
    if seen.kind == "negative-index":
        return "The first ones have nothing before them. Which threads do not add?"
    if seen.kind == "out-of-bounds" and seen.array in _ASKED:
        return _ASKED[seen.array]
    if seen.kind == "out-of-bounds":
        return "Which threads have no element? They take part in the rounds, and write no `out`."
    return endless_question(seen.kind) or f"{seen.remedy[:1].upper()}{seen.remedy[1:]}."


def _rounds(case: Case, observed: Plain) -> Iterable[Fault]:
    threads = case.inputs["threads"]
    rounds = round(log2(threads))
    if observed["rounds"] > 2 * rounds + _SPARE:
        yield Fault(
            "rounds",
            f"a thread comes {observed['rounds']} times to line {observed['rounds_line']}, "
            f"`{observed['rounds_text']}`, in a block of {threads} threads",
            f"With distances of 1, 2, 4, ... it takes {rounds} rounds.",
        )


def _shows_nothing(case: Case, observed: Plain) -> Iterable[Fault]:
    """Where the scan is wrong, its rounds say nothing; and less where no round was tried."""
    tried = read_traffic(observed["shared"]).of("load").lanes
    is_tried = tried >= 2 * case.inputs["x"].size or is_endless(observed)
    for prop in ("rounds",) if is_tried else ("rounds", "inside", "ordered", "barrier"):
        yield Fault(prop, "the blocks' scans are not right here, so this shows nothing yet")


JUDGE = Judge(
    title="Every sum on the way",
    properties=(
        Property("block", "after `scan_block`, every block's part of `out` is its own scan", 1),
        Property("totals", "`totals[b]` is the sum of the elements of block `b`", 1),
        Property("everywhere", "after all three launches, `out[i]` is `x[0] + ... + x[i]`", 1),
        Property("inside", "nothing outside the arrays is touched, nothing unwritten is read", 1),
        Property("ordered", "a barrier stands between a write and any other thread's access", 1),
        Property("barrier", "all threads of the block come to every barrier", 1),
        Property("rounds", "a block of 256 takes 8 rounds, not 255 additions in a row", 1),
    ),
    hints=(
        "Take 8 numbers. In the round with distance `d`, which places change, and which number "
        "does thread `t` need that another thread is about to change?",
        "Each round in two halves: every thread takes the number `d` places before its own into a "
        "variable (0 where there is none); a barrier; every thread adds it to its own place; a "
        "barrier. Then `d` doubles.",
        "`d = 1`; while `d < cuda.blockDim.x`: the two halves, then `d *= 2`. Behind the loop, "
        "`out[i]` for those with an element, and `totals` by the block's last thread. In "
        "`add_before`, every block but the first adds the `upto` of the block before it.",
    ),
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
