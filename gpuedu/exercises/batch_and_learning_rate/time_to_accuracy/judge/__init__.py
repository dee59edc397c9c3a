"""time-to-accuracy: a good batch and learning rate in few runs, on surfaces that are not shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy.response_surface import (
    WITHIN,
    Surface,
)
from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy.searching import Grid, Point
from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided

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
_FEWEST = 3
"""Fewer runs are no search, where the budget and the grid have more."""


def cases(rng: np.random.Generator) -> list[Case]:
    """All surfaces, with some rates left out and all of them stretched; and small budgets."""
    drawn = []
    for prop, kinds in SURFACES.items():
        for setting, knee in kinds:
            drawn.append(_case(f"{setting}, {prop} batches", _surface(rng, setting, knee), prop))
    for budget in (1, 2, int(rng.integers(5, 9))):
        label = f"a budget of {budget}"
        drawn.append(_case(label, _surface(rng, "momentum", 100), budget=budget))
    nowhere = Surface("momentum", 100, first=10, count=2)
    drawn.append(_case("two rates that are too high, a budget of 1", nowhere, budget=1))
    return [*drawn, *_corners(), _many(rng)]


def _corners() -> Iterable[Case]:
    """Four rates, and the best pair at the end of both lists, or at their start."""
    for knee, where in ((100_000, "last"), (1, "first")):
        surface = Surface("momentum", knee, first=3, count=4)
        yield _case(f"the {where} batch and the {where} of 4 rates are best", surface)


def _many(rng: np.random.Generator) -> Case:
    """Few rates, and devices of which each batch is the fastest for one: the best is at an edge."""
    settings = sorted({setting for kinds in SURFACES.values() for setting, _ in kinds})
    searches = [
        _one(Surface(setting, knee, first=first, count=count), int(rng.integers(2, BUDGET + 1)))
        for setting in settings
        for knee in (1, 32, 1_000, 100_000)
        for count in (2, 5)
        for first in (0, 4, 7)
    ]
    return Case(f"{len(searches)} surfaces with few rates", {"searches": searches}, _ALWAYS)


def _case(label: str, surface: Surface, *decides: str, budget: int = BUDGET) -> Case:
    return Case(label, {"searches": [_one(surface, budget)]}, (*decides, *_ALWAYS))


def _one(surface: Surface, budget: int) -> dict[str, Any]:
    return {**vars(surface.grid), "budget": budget}


def _surface(rng: np.random.Generator, setting: str, knee: int) -> Surface:
    first, last = (int(count) for count in rng.integers(0, _DROPPED, 2))
    least_s = float(f"{10 ** rng.uniform(-3, -1.5):.2g}")
    stretch = float(f"{10 ** rng.uniform(-1, 1):.2g}")
    return Surface(setting, knee, least_s, first, 12 - first - last, stretch)


@dataclass(frozen=True)
class Search:
    """A grid, what was run on it, in order, and what was chosen; None where it was ended."""

    grid: Grid
    budget: int
    tried: list[Point]
    asked: int
    chosen: Point | None
    kept: bool


def _searches(case: Case, observed: Plain) -> list[Search]:
    pairs = zip(case.inputs["searches"], observed["searches"], strict=True)
    return [
        Search(
            Grid.of(given),
            given["budget"],
            [(batch, rate) for batch, rate in found["tried"]],
            found["asked"],
            found["chosen"] and (found["chosen"][0], found["chosen"][1]),
            found["kept"],
        )
        for given, found in pairs
    ]


def _keeps_the_budget(search: Search) -> str | None:
    if search.asked > search.budget:
        return f"it asked for run {search.budget + 1}, and the budget is {search.budget}"
    return None


def _runs_once(search: Search) -> str | None:
    tried = search.tried
    for place, point in enumerate(tried):
        if point in tried[:place]:
            told = f"run {place + 1}, {_told(point)}, was run before"
            return f"{told}: it gives the same time again"
    return None


def _returns_the_best(search: Search) -> str | None:
    grid, tried, chosen = search.grid, search.tried, search.chosen
    if chosen is None:
        return None
    if chosen not in tried:
        return f"it returned {_told(chosen)}, and never ran it"
    best = min(tried, key=grid.seconds)
    if grid.seconds(chosen) > grid.seconds(best) * (1 + _ROUNDING):
        return (
            f"it returned {_told(chosen)}: {_time(grid, chosen)}; run {tried.index(best) + 1}, "
            f"{_told(best)}, took {_time(grid, best)}"
        )
    if not search.kept:
        return "after the search, the lists `batches` and `rates` are not what they were before"
    return None


def _in_each(
    name: str, fault_of: Callable[[Search], str | None]
) -> Callable[[Case, Plain], Iterable[Fault]]:
    """The first fault of the searches of a case, and on which surface, where it has several."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        searches = _searches(case, observed)
        for search in searches:
            if told := fault_of(search):
                where = (
                    f"with a budget of {search.budget} and rates {_listed(search)}: "
                    if len(searches) > 1
                    else ""
                )
                yield Fault(name, where + told)
                return
        yield from _no_searches(name, searches)

    return test


def _no_searches(name: str, searches: Iterable[Search]) -> Iterable[Undecided]:
    """Undecided where one of them made hardly a run: nothing can be spent or found twice then."""
    for search in searches:
        points, ran = len(search.grid.points), len(search.tried)
        if ran < min(_FEWEST, search.budget, points):
            runs = f"{ran} run{'' if ran == 1 else 's'}"
            yield Undecided(name, f"a search of {points} points ended after {runs}")
            return


def _best(case: Case, observed: Plain) -> Iterable[Fault]:
    """What the searches returned; nothing can be said where each was ended before."""
    if all(search.chosen is None for search in _searches(case, observed)):
        yield Undecided("best", "every search was ended at its budget, and returned nothing")
        return
    yield from _in_each("best", _returns_the_best)(case, observed)


def _listed(search: Search) -> str:
    return ", ".join(map(show, search.grid.rates))


def _near(name: str, kind: str) -> Property:
    """What is chosen takes little more than the best time, on surfaces of a kind."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        [search] = _searches(case, observed)
        grid, tried, chosen, budget = search.grid, search.tried, search.chosen, search.budget
        runs = f"{len(tried)} run{'' if len(tried) == 1 else 's'}"
        if chosen is None:
            told = f"run {budget + 1} of {budget} was refused, and with that the search ended"
            yield Undecided(name, told)
        elif chosen not in tried:
            told = f"{runs}, and it returned {_told(chosen)}, of which no time is known"
            yield Undecided(name, told)
        else:
            ratio = grid.seconds(chosen) / grid.seconds(grid.best)
            if ratio > WITHIN + _ROUNDING:
                shown = f", {ratio:.3g} times the best" if math.isfinite(ratio) else ""
                yield Fault(
                    name,
                    f"{runs}, and it chose {_told(chosen)}: {_time(grid, chosen)}{shown}; the "
                    f"best takes {_time(grid, grid.best)}",
                )

    asks = "What do the times so far tell you about where to run next, in batch and in rate?"
    return Property(name, f"within {WITHIN}x of the best where {kind} win", 1, asks, test)


def _told(point: Point) -> str:
    return f"batch {point[0]} with rate {show(point[1])}"


def _time(grid: Grid, point: Point) -> str:
    seconds = grid.seconds(point)
    return f"{seconds:.3g} s" if math.isfinite(seconds) else "it never gets there"


JUDGE = Judge(
    title="From scratch to the target accuracy",
    properties=(
        Property(
            "budget",
            "no more runs than the budget has",
            1,
            asks="Where are the runs counted, and what ends them?",
            test=_in_each("budget", _keeps_the_budget),
        ),
        Property(
            "once",
            "no point is run twice",
            1,
            asks="Where do you note what was run, and when do you look it up?",
            test=_in_each("once", _runs_once),
        ),
        Property(
            "best",
            "it returns the best of what it ran; both lists are left alone",
            1,
            asks="Which of all that were run takes the least time, is that pair returned, and are "
            "both lists as they were?",
            test=_best,
        ),
        _near("small", "small batches"),
        _near("middle", "batches of middle size"),
        _near("large", "large batches"),
    ),
    hints=(
        "Begin coarsely: a few rates, far apart, with one batch. Then, from the best point so far, "
        "where may a better one be? How did the learning rate change with the batch?",
        "Keep all times in a dictionary by place `(row, column)` in the two lists. Look at the "
        "neighbors of the best place, one at a time: batch and rate both one further, both one "
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
    results=tuple(SURFACES),
    predictions={
        "time-to-accuracy": Prediction(
            "from a device with a knee near 8 to one with a knee near 512, the best batch grows "
            "16-fold. How many times as large is the best learning rate?",
            truth=4,
            unit="times",
            because=(
                "From 0.0625 to 0.25, the root of 16. With 16 times the rate, as the linear rule "
                "says, the run is past its cliff and never gets there. In another training run, "
                "the factor may be different."
            ),
        )
    },
)
