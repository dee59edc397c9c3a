"""histogram: count in shared memory, and add up the blocks with few atomics."""

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
from gpuedu.exercises.cooperation.judge.histogram_asks import (
    STUCK,
    counts_cause,
    hazard_question,
)
from gpuedu.exercises.cooperation.warp_loads import Share, uneven_faults
from gpuedu.exercises.kernels.faults import OUTSIDE, RACE, hazard_faults
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.traffic import read_traffic
from gpuedu.widths import count_each

_LAUNCHES = (
    # n, bins, blocks, threads of a block, share of the values in one bin
    (1200, 64, 4, 128, 0.10),
    (1200, 64, 4, 128, 0.50),
    (1200, 64, 4, 128, 0.95),
    (499, 10, 3, 64, 0.50),
    (129, 33, 2, 64, 0.50),
    (31, 5, 4, 32, 0.10),
    (1, 1, 1, 32, 1.00),
    (0, 7, 2, 32, 0.50),
    (700, 256, 2, 32, 0.50),
    (640, 200, 3, 96, 0.10),
    (500, 33, 2, 32, 0.95),
)
_CROWDED = 0.95
_ROOM = 256
"""Elements of the shared array in the learner's cell."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Little and much crowding, fewer and more bins than threads, fewer values than threads."""
    return [_case(rng, *launch) for launch in _LAUNCHES]


def _case(
    rng: np.random.Generator, n: int, bins: int, blocks: int, threads: int, share: float
) -> Case:
    crowded = rng.random(n) < share
    values = np.where(crowded, rng.integers(0, bins), rng.integers(0, bins, n)).astype(np.int32)
    inputs = {
        "values": values,
        "hist": np.zeros(bins, np.int32),
        "blocks": blocks,
        "threads": threads,
        "share": share,
    }
    result = "any-bins" if bins > threads else "counts"
    label = (
        f"{n} values, {share:.0%} in one of {bins} bin{'' if bins == 1 else 's'}, "
        f"{LaunchShape(blocks, threads)}"
    )
    return Case(label, inputs, (result, "inside", "no-race", "few-updates", "shared-out"))


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Counts, hazards, how often ``hist`` was updated, and who did the work."""
    values, result = case.inputs["values"], case.decides[0]
    bins = case.inputs["hist"].size
    expected = count_each(values, minlength=bins)
    if not observed["complete"]:
        yield Fault(result, "the launch was stopped before it came to its end", _STOPPED)
    yield from array_fault(
        result,
        observed["hist"],
        expected.astype(np.float64),
        tolerance=0,
        name="hist",
        cause=counts_cause(case, observed, expected),
    )
    if not np.array_equal(observed["values"], values):
        yield Fault(result, "`values` was changed by the kernel", "Where does the result go?")
    yield from hazard_faults(
        observed,
        {OUTSIDE: "inside", RACE: "no-race", STUCK: "no-race"},
        lambda seen: hazard_question(seen, observed, case),
    )
    yield from _updates(case, observed)
    yield from _spread(case, observed)
    yield from _idle(case, observed)


_STOPPED = "What is told below of a barrier, or of a loop, comes first."


def _updates(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """At most one update of each bin by each block; atomics and plain stores count alike."""
    bins, blocks = case.inputs["hist"].size, case.inputs["blocks"]
    updates = read_traffic(observed["on hist"]).of("atomic", "store")
    if updates.lanes > bins * blocks:
        yield Fault(
            "few-updates",
            f"`hist` was updated {updates.lanes:,} times; with {blocks} "
            f"block{'' if blocks == 1 else 's'} and {bins} bins, {bins * blocks:,} would do"
            + _meeting(updates.same_address_lanes),
            "Where can a block count that is its own, so that `hist` hears of each bin once?",
        )
    elif case.inputs["share"] == _CROWDED and case.decides[0] == "counts":
        inside = read_traffic(observed["on shared"]).same_address_lanes
        if inside > 1 and np.array_equal(observed["hist"], _counts(case)):
            yield Finding(
                Level.NOTE,
                f"with {_CROWDED:.0%} of {case.inputs['values'].size:,} values in one bin, "
                f"{inside:.1f} lanes of a warp met on one address when they counted, in shared "
                f"memory. `hist` itself was updated {updates.lanes:,} times.",
            )


def _meeting(lanes: float) -> str:
    return f". In a warp, {lanes:.1f} lanes met on one address" if lanes >= 1.5 else ""


def _counts(case: Case) -> np.ndarray:
    return count_each(case.inputs["values"], minlength=case.inputs["hist"].size)


def _spread(case: Case, observed: Plain) -> Iterable[Fault]:
    """No warp reads many more values, or looks after many more bins, than its share."""
    threads, blocks = case.inputs["threads"], case.inputs["blocks"]
    values, bins = case.inputs["values"].size, case.inputs["hist"].size
    own_values, own_bins = -(-values // (threads * blocks)), -(-bins // threads)
    updates = read_traffic(observed["on hist"]).of("atomic", "store").lanes
    shares = (
        Share("values", max(own_values, 1)),
        *([Share("hist", own_bins)] if updates <= bins * blocks else []),
        Share("shared memory", own_values + 2 * -(-_ROOM // threads), slack=4.0),
    )
    yield from uneven_faults(
        "shared-out",
        observed,
        shares,
        "A warp does one thing at a time, for its 32 lanes together. Which values, and which bins, "
        "are each thread's own?",
    )


def _idle(case: Case, observed: Plain) -> Iterable[Fault]:
    """A kernel that reads or writes next to nothing seems to have every other property."""
    n = case.inputs["values"].size
    read = read_traffic(observed["on values"]).lanes
    updated = read_traffic(observed["on hist"]).of("atomic", "store").lanes
    if n and not updated and observed["complete"]:
        for prop in ("inside", "no-race", "few-updates", "shared-out"):
            yield Fault(
                prop,
                "nothing was written into `hist`, so this shows nothing yet",
                "Which line writes into `hist`, and which threads reach it?",
            )
    elif 2 * read < n:
        yield Fault(
            "shared-out",
            f"only {read:,} of {n:,} values were read, so this shows nothing yet",
            "Which value comes next for a thread that has counted its first?",
        )


JUDGE = Judge(
    title="Counting into the same places",
    properties=(
        Property("counts", "every bin of `hist` is right, for any n and any launch", 1),
        Property("any-bins", "the same with more bins than a block has threads", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
        Property("no-race", "no data race, and all threads of a block come to each barrier", 1),
        Property("few-updates", "`hist` is updated at most once for each bin and block", 3),
        Property("shared-out", "values and bins are shared out among all threads", 1),
    ),
    hints=(
        "Three phases: the block's counts become 0, the values are counted, the counts are added "
        "to `hist`. What must be over before the next phase may begin?",
        "`cuda.syncthreads()` between the phases, outside of loops and conditions. Values: a "
        "grid-stride loop. Bins: a loop that begins at `cuda.threadIdx.x` and goes on by "
        "`cuda.blockDim.x`, so that each thread has some, however many there are.",
        "Loop over bins: `part[b] = 0`. Barrier. Loop over values: `cuda.atomic.add(part, "
        "values[i], 1)`. Barrier. Loop over bins: `cuda.atomic.add(hist, b, part[b])`, since other "
        "blocks add to the same bin.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "histogram": Prediction(
            "95 per cent of the values fall into one bin. In a warp's atomic, how many of its 32 "
            "lanes meet on one address, on average, rounded?",
            truth=30,
            because="95 per cent of 32 is 30.4, and now and then one of the others falls there, "
            "too. Their updates are done one after the other.",
        ),
        "histogram-updates": Prediction(
            "A million values, 64 bins, 100 blocks that each count for themselves first: how many "
            "updates reach `hist` at most?",
            truth=6400,
            because="Each block adds each bin once: 64 times 100. That is less than a hundredth "
            "of a million, and does not depend on the values.",
        ),
    },
)
