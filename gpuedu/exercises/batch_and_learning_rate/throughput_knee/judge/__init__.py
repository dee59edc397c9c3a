"""throughput-knee: samples per second by batch, and from which batch on more stops helping."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from statistics import fmean

import numpy as np

from gpuedu.exercises.batch_and_learning_rate.step_costs import (
    SHARE,
    SHOWN,
    Run,
    StepCost,
    disturbed,
    median_rates,
)
from gpuedu.exercises.compare import number_fault, show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.units import US

_ROUNDING = 1e-9
_SETS = 5
"""Of runs: a wrong way may meet another one in the same batch on one of them, not on all."""
Measured = tuple[list[Run], float]
"""Runs, and the share that is asked for."""
_DOUBLED = tuple(8 * 2**power for power in range(10))
_CLEAR = 0.01
"""No rate is nearer to what is asked for, as a share of it: rounding decides nothing."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Steps that the host, that the fixed part, and that the samples hold back; measured curves."""
    drawn, knees = [], []
    for _ in range(2):
        by_host, by_fixed = _cost(rng, host=True), _cost(rng, host=False)
        corner = int((by_host.launches * by_host.launch_s) / by_host.per_sample_s)
        drawn += [_rate(by_host, batch) for batch in (1, corner // 3, corner * 4)]
        drawn += [_rate(by_fixed, int(rng.integers(4, 200)))]
        knees += [_knee(rng, by_host), _knee(rng, by_fixed)]
    drawn += [_measured(rng, prop) for prop in ("runs", "bumpy")]
    drawn.append(_just_enough(rng))
    # Last: with a wrong rate, a search for the knee may never end.
    knees += [_knee(rng, StepCost(10, 2 * US, 5 * US, 4000 * US)), _large_knee(rng)]
    knees.append(_knee_of(0.5, StepCost(201, 1 * US, 0.1 * US, 1 * US)))
    knees += [_exact_knee(rng), _knee_of(0.5, StepCost(0, 5 * US, 0.0, 30 * US))]
    return [*drawn, *knees]  # the last one: nothing holds it back


def _cost(rng: np.random.Generator, *, host: bool) -> StepCost:
    per_sample_s = float(rng.integers(10, 40)) * US
    launches, launch_s = int(rng.integers(100, 400)), float(rng.integers(3, 9)) * US
    host_s = launches * launch_s
    fixed_s = host_s * rng.uniform(0.01, 0.04) if host else host_s * rng.uniform(1.5, 4)
    return StepCost(launches, launch_s, float(f"{fixed_s:.4g}"), per_sample_s)


def _rate(cost: StepCost, batch: int) -> Case:
    return Case(f"batch {batch}", {"ask": "rate", "batch": batch, "cost": tuple(cost)}, ("rate",))


def _knee(rng: np.random.Generator, cost: StepCost) -> Case:
    return _knee_of(float(rng.integers(60, 91)) / 100, cost)


def _knee_of(share: float, cost: StepCost) -> Case:
    return Case(f"share {share}", {"ask": "knee", "share": share, "cost": tuple(cost)}, ("knee",))


def _large_knee(rng: np.random.Generator) -> Case:
    """Many launches of tiny samples: the knee is above 10,000."""
    return _knee(rng, StepCost(int(rng.integers(400, 500)), 50 * US, 5 * US, 1 * US))


def _exact_knee(rng: np.random.Generator) -> Case:
    """A batch that has just the share: all numbers are powers of two, so nothing is rounded."""
    launches, per_sample_s = 2 ** int(rng.integers(5, 8)), 2.0**-16
    cost = StepCost(launches, 2.0**-14, 2.0**-20, per_sample_s)
    inputs = {"ask": "knee", "share": 0.5, "cost": tuple(cost), "exact": True}
    return Case("a batch with just the share", inputs, ("knee",))


def _just_enough(rng: np.random.Generator) -> Case:
    """One of the rates is just the share of the best one, without rounding."""
    power = int(rng.integers(3, 6))
    times = {2**power: 2.0**-3, 2 ** (power + 1): 2.0**-4 * 3, 2 ** (power + 2): 2.0**-2}
    runs = list(times.items())
    return Case(
        "a batch with just the share",
        {"ask": "measured", "sets": [(runs, 0.5)]},
        ("runs",),
    )


def _early_peak(rng: np.random.Generator) -> Measured:
    """Behind the knee no batch has the share but that of the best rate: halving does not find it.

    A search for the knee from the middle of the list goes on among larger batches.
    """
    rates = [500, 950, *rng.integers(600, 850, 5), 1000, 800, 600]
    runs = [(batch, float(f"{batch / r:.6g}")) for batch, r in zip(_DOUBLED, rates, strict=True)]
    return [runs[place] for place in rng.permutation(len(runs))], 0.9


def _measured(rng: np.random.Generator, prop: str) -> Case:
    draw, others = _DRAWN[prop]
    sets = [draw(rng) for _ in range(_SETS)]
    while not _are_unlike([others(*one) for one in sets]):
        sets = [*sets[1:], draw(rng)]
    if prop == "bumpy":
        sets.append(_early_peak(rng))
    label = f"{len(sets)} sets of runs of {len(median_rates(sets[0][0]))} batches"
    return Case(label, {"ask": "measured", "sets": sets}, (prop,))


def _noisy_runs(rng: np.random.Generator) -> Measured:
    """A curve that rises and levels off, with disturbed runs that mislead all but medians.

    Some batches have five runs, others three.
    """

    def draw() -> list[Run]:
        cost = _cost(rng, host=bool(rng.integers(2)))
        knee = max(cost.edges(0.9))
        batches = sorted({max(1, int(knee * 1.35**power)) for power in range(-5, 5)})
        rates = {batch: cost.samples_per_s(batch) for batch in batches}
        more, fewer = disturbed(rng, rates), disturbed(rng, rates, repeats=3)
        short = {batch for batch in batches if rng.random() < 0.4}
        return [
            *(run for run in more if run[0] not in short),
            *(run for run in fewer if run[0] in short),
        ]

    return _that_tells(rng, draw, _needs_medians)


def _bumpy_runs(rng: np.random.Generator) -> Measured:
    """A curve with a flat piece, dips and a fall at the end, one run for each batch, unsorted."""

    def draw() -> list[Run]:
        batches = np.sort(rng.choice(np.arange(2, 60) * 8, 10, replace=False))
        rise = np.cumsum(rng.uniform(0.2, 2.0, 10)) + rng.uniform(1, 4)
        rates = 1000 * rise * np.where(rng.random(10) < 0.35, rng.uniform(0.6, 0.95, 10), 1)
        rates[-1] *= rng.uniform(0.6, 0.85)
        runs = [(int(b), float(f"{b / r:.6g}")) for b, r in zip(batches, rates, strict=True)]
        return [runs[place] for place in rng.permutation(len(runs))]

    return _that_tells(rng, draw, _needs_the_whole_curve)


def _that_tells(
    rng: np.random.Generator,
    draw: Callable[[], list[Run]],
    tells: Callable[[list[Run], float], bool],
) -> Measured:
    """Runs and a share that tell right from wrong, and of which rounding decides nothing."""
    for _ in range(5000):
        runs, share = draw(), float(rng.integers(70, 93)) / 100
        rates = median_rates(runs)
        asked = share * max(rates.values())
        if min(abs(rate / asked - 1) for rate in rates.values()) < _CLEAR:
            continue
        if tells(runs, share):
            return runs, share
    raise AssertionError("no runs tell right from wrong")


def first_within(rates: dict[int, float], share: float) -> int:
    """The first batch, in rising order, with ``share`` of the best rate.

    >>> first_within({8: 5.0, 16: 9.5, 32: 10.0}, 0.9)
    16
    """
    return min(batch for batch, rate in rates.items() if rate >= share * max(rates.values()))


def _needs_medians(runs: list[Run], share: float) -> bool:
    """Whether any other choice of a batch's time, or of the best rate, gives another batch."""
    rates = median_rates(runs)
    knee = first_within(rates, share)
    return (
        rates[knee] < share * max(batch / time_s for batch, time_s in runs)
        and knee < max(rates, key=rates.__getitem__)
        and knee not in _without_medians(runs, share)
    )


def _without_medians(runs: list[Run], share: float) -> list[int]:
    """The knee by the first time of each batch, the last, the shortest, the longest, the mean."""
    choices = lambda own: own[0], lambda own: own[-1], min, max, fmean
    return [_by(choose, runs, share) for choose in choices]


def _by(choose: Callable[[list[float]], float], runs: list[Run], share: float) -> int:
    times: dict[int, list[float]] = {}
    for batch, time_s in runs:
        times.setdefault(batch, []).append(time_s)
    return first_within({batch: batch / choose(own) for batch, own in times.items()}, share)


def _needs_the_whole_curve(runs: list[Run], share: float) -> bool:
    """Whether only the best rate of all leads to the knee, and it is not first in the list.

    The shortest step is before the knee; between it and the best rate is a dip.
    """
    times, knee = dict(runs), first_within(median_rates(runs), share)
    return min(times, key=times.__getitem__) < knee and knee not in _without_the_best(runs, share)


def _without_the_best(runs: list[Run], share: float) -> list[int]:
    """The knee by the rate before the first drop, of the shortest step, of the largest batch.

    Then the batch with the best rate, the first good one in the order of the runs, and the one
    above the last dip before the best rate.
    """
    rates, times = median_rates(runs), dict(runs)
    in_order = list(rates.values())
    before_drop = next(one for one, after in pairwise([*in_order, 0.0]) if after < one)
    others = before_drop, rates[min(times, key=times.__getitem__)], in_order[-1]
    best = max(rates, key=rates.__getitem__)
    first = next(batch for batch, _ in runs if rates[batch] >= share * rates[best])
    knees = [next(b for b, rate in rates.items() if rate >= share * other) for other in others]
    dips = [b for b in rates if b < best and rates[b] < share * rates[best]]
    above_dip = min(batch for batch in rates if batch > max(dips, default=0))
    return [*knees, best, first, above_dip]


def _are_unlike(knees: Sequence[list[int]]) -> bool:
    """Whether no two wrong ways to a knee lead to the same ones in all sets of runs."""
    ways = list(zip(*knees, strict=True))
    return len(set(ways)) == len(ways)


_DRAWN = {
    "runs": (_noisy_runs, _without_medians),
    "bumpy": (_bumpy_runs, _without_the_best),
}


def _rate_faults(case: Case, observed: Plain) -> Iterator[Fault]:
    batch, cost = case.inputs["batch"], StepCost(*case.inputs["cost"])
    call, truth = f"samples_per_s({batch}, {_told(cost)})", cost.samples_per_s(batch)
    yield from number_fault("rate", call, observed["got"], truth, unit="samples/s")


def _told(cost: StepCost) -> str:
    return ", ".join(map(show, cost))


def _knee_faults(case: Case, observed: Plain) -> Iterator[Fault]:
    share, cost, got = case.inputs["share"], StepCost(*case.inputs["cost"]), observed["got"]
    call = f"`knee({show(share)}, {_told(cost)})` gave {got}"
    if got < 1:
        yield Fault("knee", f"{call}, and the smallest batch is 1")
        return
    asked, reached = share * cost.best_per_s, cost.samples_per_s(got)
    rounding = 0.0 if case.inputs.get("exact") else _ROUNDING
    if reached < asked * (1 - rounding):
        told = (
            f"{call}: its rate is {100 * reached / cost.best_per_s:.4g}% of the best, asked for "
            f"{100 * share:.4g}%"
        )
    elif got > 1 and cost.samples_per_s(got - 1) >= asked * (1 + rounding):
        told = f"{call}, but a batch of {got - 1} has {100 * share:.4g}% of the best rate, too"
    else:
        return
    before, at = observed["own"]
    if before < asked <= at and abs(at / reached - 1) > _ROUNDING:
        yield Undecided("knee", f"{told}. By your own `samples_per_s` it is right: fix that first")
    else:
        yield Fault("knee", told)


def _right_knees(name: str, says: str, points: float, *, asks: str) -> Property:
    """Of each set of runs the smallest batch whose median rate is within the share."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        got_and_kept = zip(observed["got"], observed["kept"], strict=True)
        for (runs, share), (got, kept) in zip(case.inputs["sets"], got_and_kept, strict=True):
            rates = median_rates(runs)
            truth = first_within(rates, share)
            if got != truth:
                listed = ", ".join(f"{batch}: {rate:,.0f}" for batch, rate in rates.items())
                yield Fault(
                    name,
                    f"`measured_knee(runs, {show(share)})` gave {got}, expected {truth}; "
                    f"samples/s by medians: {listed}",
                )
                return
            if name == "runs" and not kept:
                told = "after `measured_knee(runs, ...)`, the list `runs` is not what it was before"
                yield Fault(name, told)
                return

    return Property(name, says, points, asks, test)


JUDGE = Judge(
    title="Where more stops helping",
    properties=(
        Property(
            "rate",
            "`samples_per_s`: host and device work at the same time",
            1,
            "What does the host do in a step, what the device, and which of the two is waited for?",
            _rate_faults,
        ),
        Property(
            "knee",
            "`knee`: the smallest batch, whatever holds it back",
            2,
            "Which batch is the smallest whose rate reaches that share, with the host and with the "
            "device?",
            _knee_faults,
        ),
        _right_knees(
            "runs",
            "`measured_knee`: runs that are far off do not move it; the list is left alone",
            1,
            asks="Which rates reach that share of the best one in this list, and which of their "
            "batches is the smallest?",
        ),
        _right_knees(
            "bumpy",
            "and neither do dips, a fall at the end, or the order of the runs",
            1,
            asks="Which rates reach that share of the best one in this list, and which of their "
            "batches is the smallest?",
        ),
    ),
    hints=(
        "A step has two sides. What does the host do in it, what the device, and who waits for "
        "whom? When the device has more to do, what is the rate for a very large batch?",
        "A step takes `max(launches * launch_s, fixed_s + batch * per_sample_s)`, and the best "
        "rate is `1 / per_sample_s`. The rate never falls with the batch, so the knee can be "
        "found by trying batch after batch, or by solving for the batch on each side of the max. "
        "For measured runs: first one rate for each batch, then the best of these, then the "
        "smallest batch.",
        "`knee`: `b = 1`, then `while samples_per_s(b, ...) < share / per_sample_s: b += 1`. "
        "`measured_knee`: `times.setdefault(batch, []).append(time_s)` for each run; "
        "`rates = {b: b / statistics.median(t) for b, t in times.items()}`; then "
        "`min(b for b in rates if rates[b] >= share * max(rates.values()))`.",
    ),
    cases=cases,
    predictions={
        "throughput-knee": Prediction(
            "400 launches of 5 µs each; the device needs 0.1 ms and 11 µs for each sample. What "
            "is the smallest batch with 90% of the best rate?",
            truth=math.ceil(max(SHOWN.edges(SHARE))),
            unit="samples",
            because="The host is busy for 2 ms whatever the batch; at the best rate the device "
            "takes 182 samples in that time. 90% of them are 164. The device's own 0.1 ms "
            "do not matter then: without the launches, a batch of 82 would do.",
        )
    },
)
