"""histogram: count in shared memory, and add up the blocks with few atomics."""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Inputs,
    Judge,
    Level,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.cooperation.busiest_warps import Share, uneven_faults
from gpuedu.exercises.cooperation.judge.endings import stopped_values
from gpuedu.exercises.kernels.faults import ENDLESS, OUTSIDE, RACE, UNWRITTEN, hazard_faults
from gpuedu.exercises.kernels.properties import right_values
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.traffic import read_traffic
from gpuedu.widths import count_each

_LAUNCHES = (
    # n, bins, blocks, threads of a block, share of the values in one bin
    (1200, 64, 4, 128, 0.10),
    (1200, 64, 2, 512, 0.50),  # more threads than the array in the learner's cell has places
    (1200, 64, 4, 128, 0.95),
    (499, 10, 3, 64, 0.50),
    (129, 33, 2, 64, 0.50),
    (31, 5, 4, 32, 0.10),
    (1, 1, 1, 32, 1.00),
    (0, 7, 2, 32, 0.50),
    (300, 256, 2, 16, 0.50),
    (640, 200, 3, 96, 0.10),
    (500, 33, 2, 32, 0.95),
    (600, 40, 3, 50, 0.10),  # blocks that are no whole number of warps
    (300, 120, 2, 50, 0.10),
)
_WRITES = ("atomic", "store")
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
        "grid": blocks,
        "block": threads,
        "share": share,
    }
    result = "any-bins" if bins > threads else "counts"
    label = (
        f"{n} values, {share:.0%} in one of {bins} bin{'' if bins == 1 else 's'}, "
        f"{LaunchShape(blocks, threads)}"
    )
    return Case(label, inputs, (result, "inside", "no-race", "few-updates", "shared-out"))


def counts_of(inputs: Inputs) -> np.ndarray:
    """(bins,) float64: how often each value occurs."""
    return count_each(inputs["values"], minlength=inputs["hist"].size).astype(np.float64)


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Hazards, how often ``hist`` was updated, and who did the work."""
    result = case.decides[0]
    yield from stopped_values(result, observed)
    together = RACE | ENDLESS | {"warp-sync-mask"}
    hazards = {UNWRITTEN: result, OUTSIDE: "inside", together: "no-race"}
    yield from hazard_faults(observed, hazards, lambda seen: "")
    yield from _updates(case, observed)
    yield from _spread(case, observed)
    yield from _idle(case, observed)


def _updates(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """At most one update of each bin by each block; atomics and plain stores count alike."""
    bins, blocks = case.inputs["hist"].size, case.inputs["grid"]
    updates = read_traffic(observed["hist.traffic"]).of(*_WRITES)
    if updates.lanes > bins * blocks:
        yield Fault(
            "few-updates",
            f"`hist` was updated {updates.lanes:,} times; with {blocks} "
            f"block{'' if blocks == 1 else 's'} and {bins} bins, {bins * blocks:,} would do"
            + _meeting(updates.same_address_lanes),
        )
    elif case.inputs["share"] == _CROWDED and case.decides[0] == "counts":
        inside = read_traffic(observed["shared.traffic"]).same_address_lanes
        if inside > 1 and np.array_equal(observed["hist"], counts_of(case.inputs)):
            yield Finding(
                Level.NOTE,
                f"with {_CROWDED:.0%} of {case.inputs['values'].size:,} values in one bin, "
                f"{inside:.1f} lanes of a warp met on one address when they counted, in shared "
                f"memory. `hist` itself was updated {updates.lanes:,} times.",
            )


def _meeting(lanes: float) -> str:
    return f". In a warp, {lanes:.1f} lanes met on one address" if lanes >= 1.5 else ""


def _spread(case: Case, observed: Plain) -> Iterable[Fault]:
    """No warp reads many more values, or looks after many more bins, than its share."""
    threads, blocks = case.inputs["block"], case.inputs["grid"]
    values, bins = case.inputs["values"].size, case.inputs["hist"].size
    own_values, own_bins = -(-values // (threads * blocks)), -(-bins // threads)
    updates = read_traffic(observed["hist.traffic"]).of(*_WRITES).lanes
    shares = (
        Share("values", max(own_values, 1)),
        *([Share("hist", own_bins)] if updates <= bins * blocks else []),
        Share("shared memory", own_values + 2 * -(-_ROOM // threads), slack=4.0),
    )
    yield from uneven_faults("shared-out", observed, shares)


_LEAST_COUNTED = 64
"""Even a kernel that loses counts in a race, a warp's at a time, has one of so many values."""


def _idle(case: Case, observed: Plain) -> Iterable[Fault]:
    """A kernel that reads or writes next to nothing seems to have every other property."""
    n = case.inputs["values"].size
    read = read_traffic(observed["values.traffic"]).lanes
    updated = read_traffic(observed["hist.traffic"]).of(*_WRITES).lanes
    if n and not updated and observed["complete"]:
        for prop in ("inside", "no-race", "few-updates", "shared-out"):
            yield Undecided(prop, "nothing was written into `hist`")
    elif 2 * read < n:
        for prop in ("few-updates", "shared-out"):
            yield Undecided(prop, f"only {read:,} of {n:,} values were read")
    elif (counted := int(np.abs(observed["hist"].astype(np.int64)).sum())) * _LEAST_COUNTED < n:
        yield Undecided("few-updates", f"only {counted:,} of {n:,} values were counted")
    elif n and (told := _counted_elsewhere(case, observed)):
        yield Undecided("few-updates", told)


def _counted_elsewhere(case: Case, observed: Plain) -> str:
    """What says that no block counted its values in shared memory; "" if it may have."""
    n = case.inputs["values"].size
    traffic = read_traffic(observed["shared.traffic"])
    written = traffic.of(*_WRITES).lanes
    if written * _LEAST_COUNTED < n:
        return f"shared memory was written {written:,} times for {n:,} values"
    lanes = sum(access.lanes for access in traffic.accesses)
    alone = json.loads(observed["busiest shared memory"])["requests"]
    if case.inputs["grid"] > 1 and lanes == alone:
        return "one thread of the launch is the only one that uses shared memory"
    return ""


_COUNTS = {
    "expected": counts_of,
    "output": "hist",
    "leaves": ("values",),
    "asks": "Which thread counts each value, in which place, and which thread adds each bin to "
    "`hist`?",
}

JUDGE = Judge(
    title="Counting into the same places",
    properties=(
        right_values(
            "counts", "every bin of `hist` is right, for any n and any launch", 1, **_COUNTS
        ),
        right_values("any-bins", "the same with more bins than a block has threads", 1, **_COUNTS),
        Property(
            "inside",
            "no thread reads or writes outside the arrays",
            1,
            "Which index is the first that is too large, and which threads have it?",
        ),
        Property(
            "no-race",
            "no data race, and all threads of a block come to each barrier",
            1,
            "Which threads use that place, what orders them, and do all threads of the block come "
            "to each barrier?",
        ),
        Property(
            "few-updates",
            "`hist` is updated at most once for each bin and block",
            3,
            "How often does a block update each bin of `hist`, and which of its threads do it?",
        ),
        Property(
            "shared-out",
            "values and bins are shared out among all threads",
            1,
            "A warp does one thing at a time, for its 32 lanes together. Which values, and which "
            "bins, are each thread's own, and how often does it come back to them?",
        ),
    ),
    hints=(
        "Three phases: the block's counts become 0, the values are counted, the counts are added "
        "to `hist`. What must be over before the next phase may start?",
        "`cuda.syncthreads()` between the phases, outside of loops and conditions. Values: a "
        "grid-stride loop. Bins: a loop that starts at `cuda.threadIdx.x` and goes on by "
        "`cuda.blockDim.x`, so that each thread has some, however many there are.",
        "Loop over bins: `part[b] = 0`. Barrier. Loop over values: `cuda.atomic.add(part, "
        "values[i], 1)`. Barrier. Loop over bins: `cuda.atomic.add(hist, b, part[b])`, since other "
        "blocks add to the same bin.",
    ),
    results=("counts", "any-bins"),
    cases=cases,
    verdict=verdict,
    predictions={
        "histogram": Prediction(
            "95% of the values fall into one bin. In a warp's atomic, how many of its 32 "
            "lanes meet on one address, on average, rounded?",
            truth=30,
            because="95% of 32 is 30.4, and now and then one of the others falls there too.",
        ),
        "histogram-updates": Prediction(
            "A million values, 64 bins, 100 blocks that each count for themselves first: how many "
            "updates reach `hist` at most?",
            truth=6400,
            because="Each block adds each bin once: 64 times 100. That is less than a hundredth "
            "of a million, and does not depend on the values.",
        ),
    },
    varies=("shared.handed",),
)
