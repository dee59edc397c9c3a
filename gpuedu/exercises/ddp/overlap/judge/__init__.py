"""overlap: gradients that travel while the backward pass runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from math import prod

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Inputs,
    Judge,
    Plain,
    Prediction,
    Property,
    Test,
    Undecided,
)
from gpuedu.exercises.ddp.overlap.judge.overlap_cases import cases
from gpuedu.exercises.ddp.overlap.judge.overlap_times import Times, times_of
from gpuedu.exercises.ddp.overlap.layered_alone import train_alone
from gpuedu.exercises.ddp.overlap.overlap_runs import plan_of
from gpuedu.exercises.ranks.properties import Held, first_off, right_on_ranks
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.units import MS

_TOLERANCE = 1e-9
"""Gradients are float64 of about 1; another order of a few sums moves them by 1e-15."""
_SHARE = 0.8
_EARLY_S = 1e-9
_SLACK = 0.01


def _means(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    """Every gradient by step and rank, and that of one process with the whole batch."""
    plan = plan_of(inputs)
    with quiet_torch():
        expected = train_alone(plan)
    ends = np.cumsum([prod(shape) for shape in plan.shapes])[:-1]
    for step, means in enumerate(expected):
        so_far = f"in step {step}{' (step 0 was right)' if step else ''}"
        for rank in range(plan.ranks):
            parts = np.split(observed["gradients"][rank, step], ends)
            for place, (part, wanted) in enumerate(zip(parts, means, strict=True)):
                is_missing = [rank, step, place] in observed["missing"]
                got = None if is_missing else part.reshape(wanted.shape)
                where = f"{so_far}, on rank {rank}, for parameter {place}"
                yield Held(where, "grad", got, wanted, _TOLERANCE)


def _sums(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    """The same as sums over the ranks: what was exchanged, not yet divided by their number."""
    for one in _means(inputs, observed):
        yield replace(one, wanted=inputs["ranks"] * one.wanted)


def _unearned_if_wrong(name: str, test: Test) -> Test:
    """The same test: where it finds nothing, undecided if no gradients were exchanged.

    Exchanges of the right sizes at the right times may carry anything.
    """

    def tested(case: Case, observed: Plain) -> Iterable[Fault]:
        faults = list(test(case, observed))
        yield from faults
        wrong = [] if faults else list(first_off(name, _means(case.inputs, observed)))
        if wrong and list(first_off(name, _sums(case.inputs, observed))):
            yield Undecided(name, f"the gradients are not right yet: {wrong[0].message}")

    return tested


def _test_again(case: Case, observed: Plain) -> Iterable[Fault]:
    yield from first_off("again", _means(case.inputs, observed))
    calls, steps = len(observed["kinds"]), plan_of(case.inputs).steps
    each = calls // steps
    if not each or calls % steps:
        return
    ends_s = observed["ends_s"][each - 1 :: each]
    for step, (before_s, end_s) in enumerate(pairwise(ends_s), 1):
        if end_s - before_s > ends_s[0] * (1 + _SLACK):
            told = f"step 0 took {_ms(ends_s[0])}, step {step} {_ms(end_s - before_s)}"
            yield Fault("again", told)


def _test_whole(case: Case, observed: Plain) -> Iterable[Fault]:
    """Their number, their bytes, and when they were called."""
    times, kinds = times_of(case.inputs), Counter(observed["kinds"])
    if kinds != {"all_reduce": len(times.sizes_bytes)}:
        told = ", ".join(f"{many} {kind}" for kind, many in kinds.items()) or "none"
        over = f"exchanges that were over at the end of the step: {told}"
        yield Fault("whole", f"{len(times.sizes_bytes)} buckets; {over}")
        return
    for number, wanted in enumerate(times.sizes_bytes):
        got, posted_s = observed["sizes_bytes"][number], observed["posted_s"][number]
        ready_s = times.ready_s[number]
        if got != wanted:
            told = f"all-reduce {number} had {got:,} bytes, bucket {number} has {wanted:,}"
            yield Fault("whole", told)
        if posted_s < ready_s - _EARLY_S:
            told = f"the all-reduce of bucket {number} was called at {_ms(posted_s)}"
            yield Fault("whole", f"{told}, and its last gradient came at {_ms(ready_s)}")
    # Where hooks wait, or none of them sends, that costs what can be hidden, and is told there.
    if not list(_test_hidden(case, observed)):
        yield from _late(times, observed["posted_s"])


def _late(times: Times, posted_s: Sequence[float]) -> Iterable[Fault]:
    """Buckets that were complete, and whose turn it was, before they were sent."""
    could_s = accumulate(times.ready_s, max)
    for number, (could, did) in enumerate(zip(could_s, posted_s, strict=True)):
        if did > could + _EARLY_S:
            told = f"the all-reduce of bucket {number} was called at {_ms(did)}"
            yield Fault("whole", f"{told}, and it could have been at {_ms(could)}")


def _test_hidden(case: Case, observed: Plain) -> Iterable[Fault]:
    times, sizes, time_s = times_of(case.inputs), observed["sizes_bytes"], observed["time_s"]
    if sum(sizes) < sum(times.sizes_bytes):
        told = "not all bytes had arrived" if sizes else "nothing had been exchanged"
        yield Undecided("hidden", f"{told} when the step ended, so its time says nothing yet")
        return
    can_s, did_s = times.naive_s - times.best_s, times.naive_s - time_s
    if did_s < _SHARE * can_s:
        yield Fault(
            "hidden",
            f"the step took {_ms(time_s)}; with all exchanges after the backward pass it takes "
            f"{_ms(times.naive_s)}, with each as early as possible {_ms(times.best_s)}. Hidden: "
            f"{max(0.0, 100 * did_s / can_s):.0f}% of what can be; {100 * _SHARE:.0f}% is required",
        )


def _ms(time_s: float) -> str:
    return f"{time_s / MS:.4g} ms"


JUDGE = Judge(
    title="Send during the backward pass",
    properties=(
        right_on_ranks(
            "mean",
            "after `finish`, every gradient is the mean over the ranks",
            2,
            _means,
            asks="Follow that gradient into its bucket, through the all-reduce, and back: what is "
            "read and written where, and when?",
        ),
        Property(
            "hidden",
            "at least 80% of what can be hidden is hidden",
            2,
            "When could each bucket be sent, when is it sent, and which ranks wait in the "
            "meantime?",
            _unearned_if_wrong("hidden", _test_hidden),
        ),
        Property(
            "whole",
            "one all-reduce per bucket, called when its last gradient is there",
            1,
            "When is a bucket complete, and what is sent for it, and how often?",
            _unearned_if_wrong("whole", _test_whole),
        ),
        right_on_ranks(
            "order",
            "the same order on all ranks, whatever order gradients arrive in",
            1,
            _means,
            asks="Are the means right where gradients arrive in the same order on all ranks? If "
            "so: which bucket does each rank send first, which one next, and what is added to "
            "what?",
        ),
        right_on_ranks(
            "unused",
            "a parameter gets its mean even if some ranks, or all, did not use it",
            1,
            _means,
            asks="Are the means right where all ranks use all parameters? If so: what does a rank "
            "send for one that it did not use, what is in its `grad` after `finish`, and what do "
            "your counts and lists hold then?",
        ),
        Property(
            "again",
            "the second and third steps are as correct, and as fast, as the first",
            1,
            "Is step 0 right by itself? If so: what do your counts and lists hold when the next "
            "backward pass starts?",
            _test_again,
        ),
    ),
    hints=(
        "A hook gets one parameter. What do hooks have to remember to know that a bucket is "
        "complete? And where do you keep what `finish` has to wait for?",
        "Keep for each bucket how many of its gradients are still to come, and a list of the "
        "buckets that have been started. The hook counts down; then, as long as the *next* bucket "
        "in the list is complete, it is started, by `dist.all_reduce(flat, async_op=True)`. "
        "`finish` starts the rest, waits, writes back, and resets the counts and the list.",
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
    seeds=5,
    predictions={
        "overlap": Prediction(
            "how long does the step take, from the start of the backward pass, with overlap?",
            truth=11.0,
            unit="ms",
            because="The network has nothing to do for 1 ms; then it is never without work: "
            "8 x 1.25 = 10 ms. 7 of the 10 ms are hidden by the backward pass.",
        )
    },
)
