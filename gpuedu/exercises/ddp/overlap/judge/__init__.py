"""Judge of the exercise overlap: gradients that travel while the backward runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.ddp.overlap.judge.overlap_cases import cases
from gpuedu.exercises.ddp.overlap.judge.overlap_times import Times, times_of
from gpuedu.exercises.ddp.overlap.layered import train_alone, train_each
from gpuedu.exercises.ddp.overlap.overlap_runs import plan_of
from gpuedu.exercises.ranks.running import exchanges_of
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.multi.exchanges import Exchange
from gpuedu.units import MS

_TOLERANCE = 1e-9
"""Gradients are float64 of about 1; another order of a few sums moves them by 1e-15."""
_SHARE = 0.8
_EARLY_S = 1e-9
_SLACK = 0.01


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The faults of gradients; for chains those of messages and times, too."""
    inputs = case.inputs
    for prop in ("mean", "again", "order", "unused"):
        if prop in case.decides:
            with quiet_torch():
                faults = list(_judge_gradients(prop, inputs, observed["gradients"]))
            yield from faults
    mine = [one for one in exchanges_of(observed["exchanges"]) if one.rank == 0]
    if "again" in case.decides:
        yield from _judge_paces(plan_of(inputs).steps, mine)
    if "hidden" in case.decides:
        times = times_of(inputs)
        unfit = _misfit(times, mine)
        if unfit is not None and "whole" in case.decides:
            yield Fault("whole", *unfit)
        yield from _judge_hidden(times, mine, observed["time_s"])


def _judge_gradients(prop: str, inputs: Inputs, got: Sequence[Any]) -> Iterable[Fault]:
    """The first gradient, by step, rank and place, that is not the mean."""
    plan = plan_of(inputs)
    expected = train_alone(plan)
    for step in range(plan.steps):
        for rank in range(plan.ranks):
            for place, wanted in enumerate(expected[step]):
                found = got[rank][step][place]
                so_far = f"in step {step}{' (step 0 was right)' if step else ''}"
                where = f"{so_far}, on rank {rank}, the gradient of parameter {place}"
                if found is None:
                    yield Fault(prop, f"{where} is None", _ASKS["unused"])
                    return
                faults = array_fault(prop, found, wanted, tolerance=_TOLERANCE, name="grad")
                for fault in faults:
                    why = _cause(prop, inputs, step, rank, place, found)
                    yield Fault(prop, f"{where}: {fault.message}", why)
                    return


_ASKS = {
    "mean": "Is every part copied back to the parameter it came from, and after its `wait()`?",
    "again": "Step 0 was right. What do your counts and lists hold when the next one begins?",
    "order": "All-reduces are matched by their number: the first of one rank with the first of the "
    "others. Which bucket is that on each rank? (They have the same shape, so nobody notices.)",
    "unused": "What no rank, or not this one, has used has no gradient, and its hook is not "
    "called. Who sends zeros for it, and who writes the mean back?",
}


def _cause(prop: str, inputs: Inputs, step: int, rank: int, place: int, found: np.ndarray) -> str:
    """Whose mistake it looks like: those before are right, so each rank's own are known."""
    own = [one[place] for one in train_each(plan_of(inputs), step)]
    ranks, total = len(own), sum(own)
    known = {
        "It is the sum over the ranks. What makes a mean of it?": total,
        "It is the rank's own gradient over the number of ranks: `wait()` comes too late, or never,"
        " or the sum went elsewhere.": own[rank] / ranks,
        "It is the rank's own gradient: nobody sent it, or the mean was not written back.": own[
            rank
        ],
        "It was divided by the number of ranks twice.": total / ranks**2,
    }
    for says, theirs in known.items():
        if theirs.any() and np.allclose(found, theirs, rtol=1e-7, atol=1e-12):
            if prop == "again" and step:
                return f"{says} {_ASKS[prop]}"
            return says
    if not found.any():
        return "It is zero: was its bucket sent before the gradient was there?"
    return _ASKS["again" if prop == "again" and step else "mean" if prop == "again" else prop]


def _judge_paces(steps: int, mine: Sequence[Exchange]) -> Iterable[Fault]:
    """Whether the steps after the first take as long as it, where each has as many messages."""
    each = len(mine) // steps
    if not each or len(mine) % steps:
        return
    ends_s = [mine[each * (step + 1) - 1].end_s for step in range(steps)]
    for step, (before_s, end_s) in enumerate(pairwise(ends_s), 1):
        if end_s - before_s > ends_s[0] * (1 + _SLACK):
            told = f"step 0 took {_ms(ends_s[0])}, step {step} {_ms(end_s - before_s)}"
            yield Fault("again", told, _ASKS["again"])
            return


def _misfit(times: Times, mine: Sequence[Exchange]) -> tuple[str, str] | None:
    """What is wrong with the messages of a step: their number, their bytes, their time."""
    wanted = list(times.sizes_bytes)
    kinds = Counter(one.kind for one in mine)
    if kinds != {"all_reduce": len(wanted)}:
        told = ", ".join(f"{many} {kind}" for kind, many in kinds.items()) or "none"
        is_short = set(kinds) <= {"all_reduce"} and len(mine) < len(wanted)
        return (
            f"{len(wanted)} buckets; exchanges that were over at the end of the step: {told}",
            "Is every bucket sent, and waited for in `finish`?"
            if is_short
            else "A bucket is one message, and is sent once: when is it complete?",
        )
    for number, (one, ready_s) in enumerate(zip(mine, times.ready_s, strict=True)):
        if one.size_bytes != wanted[number]:
            return (
                f"all-reduce {number} had {one.size_bytes:,} bytes, bucket {number} has "
                f"{wanted[number]:,}",
                "Buckets are sent whole, in the order of the list.",
            )
        if one.posted_s < ready_s - _EARLY_S:
            return (
                f"the all-reduce of bucket {number} was called at {_ms(one.posted_s)}, and its "
                f"last gradient came at {_ms(ready_s)}",
                "Of how many gradients has the hook to wait for the last?",
            )
    return None


def _judge_hidden(times: Times, mine: Sequence[Exchange], time_s: float) -> Iterable[Fault]:
    if not mine:
        yield Fault("hidden", "nothing was exchanged", "Are the hooks registered?")
        return
    if sum(one.size_bytes for one in mine) < sum(times.sizes_bytes):
        told = "not all bytes had arrived when the step ended, so nothing can be said of its time"
        yield Fault("hidden", told, "Does `finish` wait for each all-reduce?")
        return
    can_s, did_s = times.naive_s - times.best_s, times.naive_s - time_s
    did = f"{max(0.0, 100 * did_s / can_s):.0f}%"
    if did_s < _SHARE * can_s:
        yield Fault(
            "hidden",
            f"the step took {_ms(time_s)}; with all exchanges behind the backward it takes "
            f"{_ms(times.naive_s)}, with each as early as can be {_ms(times.best_s)}. Hidden: "
            f"{did} of what can be, {100 * _SHARE:.0f}% are asked for",
            _why_slow(times, mine),
        )


def _why_slow(times: Times, mine: Sequence[Exchange]) -> str:
    last_s = max(times.ready_s)
    if min(one.posted_s for one in mine) >= last_s - _EARLY_S:
        return (
            "The first all-reduce was called when the backward was over. Who calls it earlier? If "
            "your hooks ran and none of them sent: which bucket does each of them count down? (A "
            "function that is made in a loop sees what the loop's variable is *later*.)"
        )
    if len(mine) > len(times.sizes_bytes):
        return "There are more messages than buckets, each with its latency."
    if max(one.posted_s for one in mine) <= last_s + _EARLY_S:
        for number, (one, could_s) in enumerate(
            zip(mine, accumulate(times.ready_s, max), strict=False)
        ):
            if one.posted_s > could_s + _EARLY_S:
                return (
                    f"Bucket {number} was complete, and those before it sent, at {_ms(could_s)}; "
                    f"its all-reduce was called at {_ms(one.posted_s)}. One gradient may be the "
                    "last that *several* buckets have waited for: how many does a hook send?"
                )
    return (
        "A hook runs inside the backward: as long as it waits, the backward waits, too. Who can "
        "wait instead, and when?"
    )


def _ms(time_s: float) -> str:
    return f"{time_s / MS:.4g} ms"


JUDGE = Judge(
    title="Send while the backward runs",
    properties=(
        Property("mean", "after `finish`, every gradient is the mean over the ranks", 2),
        Property("hidden", "at least 80% of what can be hidden is hidden", 2),
        Property("whole", "one all-reduce a bucket, called when its last gradient is there", 1),
        Property("order", "the same order on all ranks, whatever order gradients arrive in", 1),
        Property("unused", "a parameter that a rank, or no rank, used gets its mean, too", 1),
        Property("again", "the second and third step are as right, and as fast, as the first", 1),
    ),
    hints=(
        "A hook is told of one parameter. What does it have to remember to know that a bucket is "
        "complete? And where is kept what `finish` has to wait for?",
        "Keep for each bucket how many of its gradients are still to come, and a list of the "
        "buckets that have been started. The hook counts down; then, as long as the *next* bucket "
        "in the list is complete, it is started, by `dist.all_reduce(flat, async_op=True)`. "
        "`finish` starts the rest, waits, writes back, and sets counts and list anew.",
        "`left = [len(b) for b in buckets]`, `started = []`; for the number of a parameter's "
        "bucket, `bucket_of = {p: k for k, bucket in enumerate(buckets) for p in bucket}`. "
        "`start()`: `flat = "
        "flatten(buckets[len(started)])`, `started.append((flat, dist.all_reduce(flat, "
        "async_op=True)))`. `hook(p)`: `left[bucket_of[p]] -= 1`, then `while "
        "len(started) < len(buckets) and "
        "left[len(started)] == 0: start()`. `finish`: `while len(started) < len(buckets): "
        "start()`, then for each `work.wait()` and `write_back(flat / ranks, bucket)`; last, "
        "`left[:] = ...` and `started.clear()`.",
    ),
    cases=cases,
    verdict=verdict,
    seeds=5,
    predictions={
        "overlap": Prediction(
            "how long does the step take from the begin of the backward, with overlap?",
            truth=11.0,
            unit="ms",
            because="The network has nothing to do for 1 ms; then it is never without work: "
            "8 x 1.25 = 10 ms. 7 of the 10 ms lie beside the backward.",
        )
    },
)
