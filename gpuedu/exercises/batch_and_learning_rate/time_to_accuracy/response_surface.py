"""Seconds to an accuracy by batch and learning rate: steps of real training, times of a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.step_costs import StepCost
from gpuedu.exercises.compare import show
from gpuedu.exercises.plain import describe, items, number
from gpuedu.experiments import read_results
from gpuedu.units import US

WITHIN = 1.25
"""How many times the best time a choice may take."""

Point = tuple[int, float]
"""A batch and a learning rate."""
Search = Callable[[Callable[[int, float], float], list[int], list[float], int], Any]
"""``search(run, batches, rates, budget)``, the learner's."""

_FIXED_SHARE = 0.1


@dataclass(frozen=True)
class Surface:
    """One way to train on one device.

    ``setting`` names the training in the experiment steps-to-accuracy. The device is launch-bound
    up to about ``knee`` samples, and a step of it takes ``least_s`` then. Of the experiment's
    learning rates ``count`` are there, from ``first`` on, each times ``stretch``: as if the loss
    had been divided by it.
    """

    setting: str
    knee: int
    least_s: float = 2e-3
    first: int = 0
    count: int = 12
    stretch: float = 1.0

    @property
    def cost(self) -> StepCost:
        """What a step costs on the device."""
        launch_s = 5 * US
        launches = round(self.least_s / launch_s)
        return StepCost(launches, launch_s, _FIXED_SHARE * self.least_s, self.least_s / self.knee)

    @property
    def batches(self) -> list[int]:
        """The batches that can be run, rising."""
        return list(_values()["batches"])

    @property
    def rates(self) -> list[float]:
        """The learning rates that can be run, rising."""
        rates = _values()["settings"][self.setting]["rates"]
        chosen = rates[self.first : self.first + self.count]
        return [float(f"{rate * self.stretch:.3g}") for rate in chosen]

    def seconds(self, point: Point) -> float:
        """How long training takes; infinite where it does not reach the accuracy."""
        row, column = self.batches.index(point[0]), self.rates.index(point[1])
        steps = _values()["settings"][self.setting]["steps"][row][self.first + column]
        return math.inf if steps is None else steps * self.cost.step_s(point[0])

    @property
    def points(self) -> list[Point]:
        """All that can be run."""
        return [(batch, rate) for batch in self.batches for rate in self.rates]

    @property
    def best(self) -> Point:
        """The point with the shortest time."""
        return min(self.points, key=self.seconds)


def _values() -> Any:
    return read_results("steps-to-accuracy").values


@dataclass(frozen=True)
class Tries:
    """What a search ran, in order, and what it returned; None if it was ended.

    ``asked`` counts the runs that it asked for: those beyond the budget were refused. ``kept`` says
    whether the lists of batches and rates are as they were.
    """

    points: tuple[Point, ...]
    chosen: Point | None
    asked: int
    kept: bool = True


class _BudgetSpentError(Exception):
    """Ends a search that asks for a run beyond its budget."""

    def __init__(self) -> None:
        super().__init__("the budget is used up, and `run` was asked once more")


def try_search(search: Search, surface: Surface, budget: int) -> Tries:
    """Let the learner's search run on a surface of which it gets nothing but ``run``'s answers.

    What it is given (arguments, and what these hold) does not have the surface: ``run`` looks one
    number up for each call. Code that goes and reads the course's own results is not kept from it.
    A run beyond the budget is refused, which ends the search.

    Raises:
        AnswerError: for a point that is not there, or no point in the end.
    """
    tried: list[Point] = []
    batches, rates = surface.batches, surface.rates
    asked = 0

    def run(batch: Any, rate: Any) -> float:
        nonlocal asked
        point = _point(surface, batch, rate)
        asked += 1
        if asked > budget:
            raise _BudgetSpentError
        tried.append(point)
        return surface.seconds(point)

    try:
        got = search(run, batches, rates, budget)
    except _BudgetSpentError:
        return Tries(tuple(tried), None, asked)
    is_listed = isinstance(got, (tuple, list, np.ndarray)) and np.ndim(got) == 1
    pair = items(got) if is_listed else []
    if len(pair) != 2:
        count = f" of {len(pair)}" if is_listed else ""
        raise AnswerError(
            f"`search` should return a batch and a rate, got {describe(got)}{count}",
            remedy="`return batch, rate`",
        )
    kept = (batches, rates) == (surface.batches, surface.rates)
    return Tries(tuple(tried), _point(surface, *pair), asked, kept)


def _point(surface: Surface, batch: Any, rate: Any) -> Point:
    """The point of the grid that is meant."""
    return (
        int(_on_grid(surface.batches, number(batch, "a batch"), "batches")),
        _on_grid(surface.rates, number(rate, "a learning rate"), "rates"),
    )


def _on_grid(values: Sequence[float], wanted: float, name: str) -> float:
    for value in values:
        if math.isclose(value, wanted, rel_tol=1e-6):
            return value
    raise AnswerError(
        f"{show(wanted)} is none of the `{name}`",
        remedy=f"They are {', '.join(map(show, values))}.",
    )
