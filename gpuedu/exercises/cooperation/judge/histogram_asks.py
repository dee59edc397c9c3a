"""What the card of ``histogram`` asks below a counterexample."""

from __future__ import annotations

import re

import numpy as np

from gpuedu.exercises.contract import Case, Plain
from gpuedu.exercises.kernels.faults import OUTSIDE
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings
from gpuedu.exercises.kernels.traffic import read_traffic
from gpuedu.widths import count_each

STUCK = frozenset({"divergent-barrier", "runaway-loop", "spin-in-warp"})
_UNSET = "uninitialised-read"
_UNSET_ASKS = (
    "Shared memory holds anything when a block begins. Who sets each count to 0, and does "
    "everybody wait for it?"
)


def counts_cause(case: Case, observed: Plain, expected: np.ndarray) -> str:
    """The sentence of the first known way to these counts, or nothing.

    Args:
        case: The case.
        observed: What the play gave for it.
        expected: (bins,) the right counts.
    """
    got, values = observed["hist"].astype(np.int64), case.inputs["values"]
    blocks, threads = case.inputs["blocks"], case.inputs["threads"]
    kinds = {seen.kind for seen in read_sightings(observed["sightings"]) if seen.is_hazard}
    reached = np.arange(expected.size) < threads
    if expected.size > threads and np.array_equal(got, expected * reached):
        return (
            f"Bins 0 to {threads - 1} are right, the others stay 0: a block has {threads} threads. "
            "Which of them takes the bins from there on?"
        )
    if _UNSET in kinds:
        return _UNSET_ASKS
    if not got.any():
        return "Which line writes into `hist`, and which threads reach it?"
    if blocks > 1 and np.array_equal(got, blocks * expected):
        return "Every block counted all values. Which are a block's own?"
    if np.array_equal(got, threads * expected):
        return "Each count was added as often as a block has threads. Who adds which bin?"
    if np.array_equal(got, blocks * threads * expected):
        return "Every thread counted all values. Which are its own?"
    first_block = np.arange(values.size) % (blocks * threads) < threads
    if blocks > 1 and np.array_equal(got, count_each(values[first_block], minlength=got.size)):
        return "Only what block 0 has counted arrived. Who adds the counts of the other blocks?"
    first = count_each(values[: blocks * threads], minlength=expected.size)
    if values.size > blocks * threads and np.array_equal(got, first):
        return "Each thread took one value and stopped. What follows when there are more values?"
    if "data-race" in kinds:
        return "Updates got lost: see what is told of the race."
    if kinds & OUTSIDE:
        return "A thread counted what is not there: see what is told of the index outside."
    if got.sum() < expected.sum():
        return f"{expected.sum() - got.sum()} of {expected.sum()} values were not counted."
    return ""


def hazard_question(seen: Sighting, observed: Plain, case: Case) -> str:
    """The question below a hazard of the machine's."""
    if seen.kind == "divergent-barrier":
        return (
            "Every thread of a block has to come to the barrier. Does it stand inside a loop or a "
            "condition that some threads leave earlier?"
        )
    if seen.kind in STUCK:
        return "What changes from one turn to the next, and does the loop end for every thread?"
    if seen.kind in OUTSIDE:
        return _outside(seen, observed, case)
    updates = read_traffic(observed["on hist"])
    if any(one.array == seen.array for one in updates.accesses):
        if not updates.of("load", "atomic").accesses:
            return (
                "The block that comes last replaces what the others have counted. What adds to "
                "`hist` in one step?"
            )
        return _ONE_STEP
    here = {
        one.operation
        for one in read_traffic(observed["on shared"]).accesses
        if (one.array, one.line) == (seen.array, seen.line)
    }
    if here == {"load", "store"}:
        return f"All threads of a block see its shared memory. {_ONE_STEP}"
    if here >= {"atomic", "store"}:
        return (
            "The atomic has added already. What is stored on the same line besides, by an ordinary "
            "update?"
        )
    return _phases(seen)


_ONE_STEP = (
    "Two threads update one bin at the same time, and both read the old count. What reads, adds "
    "and writes in one step, so that nobody gets between?"
)


def _phases(seen: Sighting) -> str:
    """Two phases overlap; the machine's sentence names the other line."""
    other = re.search(r" on line (\d+)", seen.message)
    if other is None or int(other[1]) == seen.line:
        return "What lets all threads of the block wait for each other between two phases?"
    return (
        f"Nothing stops a fast thread from coming to line {seen.line} while a slow one is still at "
        f"line {other[1]}. What lets all of them wait between the two?"
    )


def _outside(seen: Sighting, observed: Plain, case: Case) -> str:
    names = {one.array for one in read_traffic(observed["on hist"]).accesses}
    if seen.array in names:
        bins = case.inputs["hist"].size
        return f"`hist` has {bins} bins here, not as many as the shared array. Where does it stop?"
    return "Which index is the first that is too large, and which threads have it?"
