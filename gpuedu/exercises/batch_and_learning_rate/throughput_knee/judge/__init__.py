"""throughput-knee: samples per second by batch, and from which batch on more stops helping."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.batch_and_learning_rate.step_costs import (
    SHARE,
    SHOWN,
    Run,
    StepCost,
    disturbed,
    median_rates,
)
from gpuedu.exercises.batch_and_learning_rate.throughput_knee.judge.knees import (
    BUMPS,
    NOISE,
    RATES,
    are_unlike,
    measured,
    measured_cause,
    model_causes,
    tells_apart,
)
from gpuedu.exercises.compare import Misconception, likely_cause, number_fault, show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.units import US

_ROUNDING = 1e-9
_SETS = 5
"""Of runs: on one of them two mistakes may meet in the same batch, not on all."""
Measured = tuple[list[Run], float]
"""Runs, and the share that is asked for."""
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
    drawn += [_measured(rng, _noisy_runs, "runs"), _measured(rng, _bumpy_runs, "bumpy")]
    # Last: with a wrong rate, a search for the knee may never end.
    return [*drawn, *knees, _knee(rng, StepCost(10, 2 * US, 5 * US, 4000 * US))]


def _cost(rng: np.random.Generator, *, host: bool) -> StepCost:
    per_sample_s = float(rng.integers(10, 40)) * US
    launches, launch_s = int(rng.integers(100, 400)), float(rng.integers(3, 9)) * US
    host_s = launches * launch_s
    fixed_s = host_s * rng.uniform(0.01, 0.04) if host else host_s * rng.uniform(1.5, 4)
    return StepCost(launches, launch_s, float(f"{fixed_s:.4g}"), per_sample_s)


def _rate(cost: StepCost, batch: int) -> Case:
    return Case(f"batch {batch}", {"ask": "rate", "batch": batch, "cost": tuple(cost)}, ("rate",))


def _knee(rng: np.random.Generator, cost: StepCost) -> Case:
    share = float(rng.integers(60, 91)) / 100
    return Case(f"share {share}", {"ask": "knee", "share": share, "cost": tuple(cost)}, ("knee",))


def _measured(rng: np.random.Generator, draw: Callable[..., Measured], prop: str) -> Case:
    sets = [draw(rng) for _ in range(_SETS)]
    while not are_unlike(sets):
        sets = [*sets[1:], draw(rng)]
    label = f"{_SETS} sets of runs of {len(median_rates(sets[0][0]))} batches"
    return Case(label, {"ask": "measured", "sets": sets}, (prop,))


def _noisy_runs(rng: np.random.Generator) -> Measured:
    """A curve that rises and levels off, with disturbed runs that mislead all but medians."""

    def draw() -> list[Run]:
        cost = _cost(rng, host=bool(rng.integers(2)))
        knee = max(cost.edges(0.9))
        batches = sorted({max(1, int(knee * 1.35**power)) for power in range(-5, 5)})
        return disturbed(rng, {batch: cost.samples_per_s(batch) for batch in batches})

    return _that_tells(rng, draw, NOISE)


def _bumpy_runs(rng: np.random.Generator) -> Measured:
    """A curve with a flat piece, dips and a fall at the end, one run for each batch, unsorted."""

    def draw() -> list[Run]:
        batches = np.sort(rng.choice(np.arange(2, 60) * 8, 10, replace=False))
        rise = np.cumsum(rng.uniform(0.2, 2.0, 10)) + rng.uniform(1, 4)
        rates = 1000 * rise * np.where(rng.random(10) < 0.35, rng.uniform(0.6, 0.95, 10), 1)
        rates[-1] *= rng.uniform(0.6, 0.85)
        runs = [(int(b), float(f"{b / r:.6g}")) for b, r in zip(batches, rates, strict=True)]
        return [runs[place] for place in rng.permutation(len(runs))]

    return _that_tells(rng, draw, BUMPS)


def _that_tells(rng: np.random.Generator, draw: Any, mistakes: Sequence[Misconception]) -> Measured:
    """Runs and a share for which each of these mistakes gives another batch."""
    for _ in range(5000):
        runs, share = draw(), float(rng.integers(70, 93)) / 100
        rates = median_rates(runs)
        asked = share * max(rates.values())
        if min(abs(rate / asked - 1) for rate in rates.values()) < _CLEAR:
            continue
        if tells_apart(runs, share, mistakes):
            return runs, share
    raise AssertionError("no runs tell these mistakes apart")


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Rates and batches against the model, and against medians."""
    inputs, got = case.inputs, observed["got"]
    if inputs["ask"] == "measured":
        yield from _judge_measured(case, got)
        return
    cost = StepCost(*inputs["cost"])
    if inputs["ask"] == "knee":
        yield from _judge_knee(inputs["share"], cost, got, observed["own"])
        return
    truth = cost.samples_per_s(inputs["batch"])
    cause = likely_cause(got, RATES, {"batch": inputs["batch"], "cost": cost}, 1e-6)
    call = f"samples_per_s({inputs['batch']}, {_told(cost)})"
    yield from number_fault("rate", call, got, truth, unit="samples/s", cause=cause)


def _told(cost: StepCost) -> str:
    return ", ".join(map(show, cost))


def _judge_knee(share: float, cost: StepCost, got: int, own: Sequence[float]) -> Iterable[Fault]:
    call = f"`knee({show(share)}, {_told(cost)})` gave {got}"
    if got < 1:
        yield Fault("knee", call, "A batch of 0 or less is no batch: at least 1.")
        return
    asked = share * cost.best_per_s
    reached = cost.samples_per_s(got)
    if reached < asked * (1 - _ROUNDING):
        told = (
            f"{call}: its rate is {100 * reached / cost.best_per_s:.4g}% of the best, asked for "
            f"{100 * share:.4g}%"
        )
        cause = "Two things hold a small batch back. Does yours get past both?"
    elif got > 1 and cost.samples_per_s(got - 1) >= asked * (1 + _ROUNDING):
        told = f"{call}, but a batch of {got - 1} has {100 * share:.4g}% of the best rate, too"
        cause = "The *smallest* such batch is wanted, of all whole numbers."
    else:
        return
    before, at = own
    if before < asked <= at and abs(at / reached - 1) > _ROUNDING:
        cause = "By your own `samples_per_s` it is right: mend that first."
    yield Fault("knee", told, model_causes(share, cost).get(got, cause))


def _judge_measured(case: Case, got: Sequence[int]) -> Iterable[Fault]:
    """The first set of runs whose knee is wrong; the cause is one that explains all sets."""
    sets = case.inputs["sets"]
    for (runs, share), mine in zip(sets, got, strict=True):
        truth = measured(runs, share)
        if mine == truth:
            continue
        rates = median_rates(runs)
        listed = ", ".join(f"{batch}: {rate:,.0f}" for batch, rate in rates.items())
        message = f"`measured_knee(runs, {show(share)})` gave {mine}, expected {truth}"
        told = f"{message}; samples/s by medians: {listed}"
        yield Fault(case.decides[0], told, measured_cause(sets, got))
        return


JUDGE = Judge(
    title="Where more stops helping",
    properties=(
        Property("rate", "`samples_per_s`: host and device work at the same time", 1),
        Property("knee", "`knee`: the smallest batch, whatever holds it back", 2),
        Property("runs", "`measured_knee`: runs that are far off do not move it", 1),
        Property("bumpy", "and neither do dips, a fall at the end, or the order of the runs", 1),
    ),
    hints=(
        "A step has two sides. What does the host do in it, what the device, and who waits for "
        "whom? When the device has the more to do, what is the rate for a very large batch?",
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
    verdict=verdict,
    predictions={
        "throughput-knee": Prediction(
            "400 launches of 5 µs each; the device needs 0.1 ms and 11 µs for each sample. From "
            "which batch on do you have 90% of the best rate?",
            truth=math.ceil(max(SHOWN.edges(SHARE))),
            unit="samples",
            because="The host is busy for 2 ms whatever the batch; at the best rate the device "
            "takes 182 samples in that time. 90% of them are 164. By then the device's own 0.1 ms "
            "are no trouble: they alone would ask for 82.",
        )
    },
)
