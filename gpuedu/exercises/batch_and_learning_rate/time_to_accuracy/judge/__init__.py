"""time-to-accuracy: a good batch and learning rate in few runs, on surfaces that are not shown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict

import numpy as np

from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy.response_surface import (
    WITHIN,
    Point,
    Surface,
)
from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

BUDGET = 20
SURFACES = {
    "small": (("one hidden layer", 16), ("wrong labels", 12), ("momentum", 16), ("adam", 16)),
    "middle": (
        ("linear", 192),
        ("one hidden layer", 64),
        ("wrong labels", 128),
        ("momentum", 64),
        ("adam", 128),
    ),
    "large": (
        ("linear", 2048),
        ("one hidden layer", 2048),
        ("wrong labels", 512),
        ("momentum", 512),
        ("adam", 512),
    ),
}
"""Ways to train, and the knees of their devices; on each, several kinds of search get near."""
_DROPPED = 3
"""So many rates less one may be missing at each end."""
_ALWAYS = ("budget", "once", "best")
_ROUNDING = 1e-9


def cases(rng: np.random.Generator) -> list[Case]:
    """All surfaces, with some rates left out and all of them stretched; and small budgets."""
    drawn = []
    for prop, kinds in SURFACES.items():
        for setting, knee in kinds:
            drawn.append(_case(f"{setting}, {prop} batches", _surface(rng, setting, knee), prop))
    for budget in (1, 2, int(rng.integers(5, 9))):
        label = f"a budget of {budget}"
        drawn.append(_case(label, _surface(rng, "momentum", 100), budget=budget))
    return drawn


def _case(label: str, surface: Surface, *decides: str, budget: int = BUDGET) -> Case:
    return Case(label, {"surface": asdict(surface), "budget": budget}, (*decides, *_ALWAYS))


def _surface(rng: np.random.Generator, setting: str, knee: int) -> Surface:
    first, last = (int(count) for count in rng.integers(0, _DROPPED, 2))
    least_s = float(f"{10 ** rng.uniform(-3, -1.5):.2g}")
    stretch = float(f"{10 ** rng.uniform(-1, 1):.2g}")
    return Surface(setting, knee, least_s, first, 12 - first - last, stretch)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """What was run, what was chosen of it, and how far that is from the best of all."""
    surface = Surface(**case.inputs["surface"])
    tried: list[Point] = [(batch, rate) for batch, rate in observed["tried"]]
    budget: int = case.inputs["budget"]
    decides_time = len(case.decides) > len(_ALWAYS)
    yield from _judge_runs(tried, observed["asked"], budget)
    if observed["chosen"] is None:
        if decides_time:
            yield Fault(
                case.decides[0],
                f"run {budget + 1} of {budget} was refused, and with that the search ended",
                "Keep to the budget, and return the best of what was run by then.",
            )
        return
    chosen: Point = (observed["chosen"][0], observed["chosen"][1])
    yield from _judge_choice(surface, tried, chosen)
    if decides_time:
        yield from _judge_time(case.decides[0], surface, tried, chosen)


def _judge_runs(tried: Sequence[Point], asked: int, budget: int) -> Iterable[Fault]:
    if asked > budget:
        yield Fault(
            "budget",
            f"it asked for run {budget + 1}, and the budget is {budget}",
            "Where do you count them? One function that all runs go through can refuse.",
        )
    seen: set[Point] = set()
    for place, point in enumerate(tried):
        if point in seen:
            yield Fault(
                "once",
                f"run {place + 1}, {_told(point)}, was run before: it gives the same time again",
                "A dictionary of what was run, by point, knows. Where do you look it up?",
            )
            return
        seen.add(point)


def _judge_choice(surface: Surface, tried: Sequence[Point], chosen: Point) -> Iterable[Fault]:
    if chosen not in tried:
        yield Fault(
            "best",
            f"it returned {_told(chosen)}, and never ran it",
            "Are batch and rate of the same run? What was not run is a guess.",
        )
        return
    best = min(tried, key=surface.seconds)
    if surface.seconds(chosen) > surface.seconds(best) * (1 + _ROUNDING):
        number = tried.index(best) + 1
        yield Fault(
            "best",
            f"it returned {_told(chosen)} with {_time(surface, chosen)}, and run {number}, "
            f"{_told(best)}, took {_time(surface, best)}",
            "The last one is not always the best one."
            if chosen == tried[-1]
            else "Which of all that were run takes the least time?",
        )


def _judge_time(
    prop: str, surface: Surface, tried: Sequence[Point], chosen: Point
) -> Iterable[Fault]:
    runs = f"{len(tried)} run{'' if len(tried) == 1 else 's'}"
    if chosen not in tried:
        yield Fault(
            prop,
            f"{runs}, and it returned {_told(chosen)}, of which no time is known",
            "A time counts where it was seen: return a pair that was run.",
        )
        return
    ratio = surface.seconds(chosen) / surface.seconds(surface.best)
    if ratio <= WITHIN + _ROUNDING:
        return
    shown = f", {ratio:.3g} times the best" if math.isfinite(ratio) else ""
    yield Fault(
        prop,
        f"{runs}, and it chose {_told(chosen)}: {_time(surface, chosen)}{shown}; the "
        f"best takes {_time(surface, surface.best)}",
        _why(surface, tried),
    )


def _why(surface: Surface, tried: Sequence[Point]) -> str:
    """What was not looked at, as a question."""
    batches, best = {batch for batch, _ in tried}, surface.best[0]
    finite = [point for point in tried if math.isfinite(surface.seconds(point))]
    if not finite:
        return "None of the runs got there. Where do you go when a rate is too high, or too low?"
    if len(batches) == 1:
        return "All runs had the same batch. What does the device do with another one?"
    if len(tried) < BUDGET and _has_gap(surface, tried):
        return (
            f"{BUDGET - len(tried)} of {BUDGET} runs were left, and of the up to eight places "
            "around the best run some were not tried. Is one of those better?"
        )
    if best not in batches:
        return (
            f"The best has a batch of {best}, which was never run. From the best run so far, "
            "which way does the time fall, and do you follow it?"
        )
    rates = {rate for batch, rate in tried if batch == best}
    if len(rates) == 1:
        return (
            f"The best has a batch of {best}, and with that you ran one rate only. Each batch has "
            "a valley of its own: what do you do with the rate when the batch changes?"
        )
    if len(tried) < BUDGET:
        return f"{BUDGET - len(tried)} runs were left. What lies around the best point?"
    return f"The best has a batch of {best}. Where did the runs go that you could have saved?"


def _has_gap(surface: Surface, tried: Sequence[Point]) -> bool:
    """Whether a neighbour of the best run, diagonal ones too, was never run."""
    best = min(tried, key=surface.seconds)
    row, column = surface.batches.index(best[0]), surface.rates.index(best[1])
    around = [
        (batch, rate)
        for batch in surface.batches[max(0, row - 1) : row + 2]
        for rate in surface.rates[max(0, column - 1) : column + 2]
    ]
    return not set(around) <= set(tried)


def _told(point: Point) -> str:
    return f"batch {point[0]} with rate {show(point[1])}"


def _time(surface: Surface, point: Point) -> str:
    seconds = surface.seconds(point)
    return f"{seconds:.3g} s" if math.isfinite(seconds) else "it never gets there"


JUDGE = Judge(
    title="From nothing to the accuracy",
    properties=(
        Property("budget", "no more runs than the budget has", 1),
        Property("once", "no point is run twice", 1),
        Property("best", "it returns the best of what it ran", 1),
        Property("small", f"within {WITHIN}x of the best where small batches win", 1),
        Property("middle", f"within {WITHIN}x of the best where batches of middle size win", 1),
        Property("large", f"within {WITHIN}x of the best where large batches win", 1),
    ),
    hints=(
        "Begin coarsely: a few rates, far apart, with one batch. Then, from the best point so far, "
        "where may a better one be? How did the learning rate change with the batch?",
        "Keep all times in a dictionary by place `(row, column)` in the two lists. Look at the "
        "neighbours of the best place, one at a time: batch and rate both one further, both one "
        "back, the rate alone, the batch alone. As soon as one is better, go on from there. Stop "
        "when all are known, or the budget is used up.",
        "`seen = {}`; `row = len(batches) // 2`; `for column in range(1, len(rates), 3)` run "
        "`(row, column)`. Then, `while len(seen) < budget`: `b, r = min(seen, key=seen.get)`; "
        "`around = [(b + i, r + j) for i, j in [(1, 1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, "
        "0)]]`; keep those inside the grid that are not in `seen`; none left: `break`; else run "
        "the first. Mind the budget in the first loop, too. In the end, `b, r = min(seen, "
        "key=seen.get)` once more, and `return batches[b], rates[r]`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "time-to-accuracy": Prediction(
            "from a device with a knee near 8 to one with a knee near 512, the best batch of a "
            "training grows 16-fold. By how many times is its best learning rate larger?",
            truth=4,
            unit="times",
            because="From 0.0625 to 0.25, the root of 16. With 16 times the rate, as the linear "
            "rule has it, the run is past its cliff and never gets there. Another training may "
            "have another factor.",
        )
    },
)
