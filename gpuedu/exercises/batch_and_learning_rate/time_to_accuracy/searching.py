"""A learner's search on a grid of batches and learning rates, of which it sees what it runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.compare import show
from gpuedu.exercises.plain import describe, items, number

Point = tuple[int, float]
"""A batch and a learning rate."""
Search = Callable[[Callable[[int, float], float], list[int], list[float], int], Any]
"""``search(run, batches, rates, budget)``, the learner's."""


@dataclass(frozen=True)
class Grid:
    """How long training takes, by batch and learning rate, both rising.

    ``times_s`` has a row for each batch; infinite where a run does not reach the accuracy.
    """

    batches: list[int]
    rates: list[float]
    times_s: np.ndarray

    @classmethod
    def of(cls, inputs: Mapping[str, Any]) -> Grid:
        """From what a case holds."""
        return cls(list(inputs["batches"]), list(inputs["rates"]), inputs["times_s"])

    def seconds(self, point: Point) -> float:
        """How long training takes at a point."""
        batch, rate = point
        return float(self.times_s[self.batches.index(batch), self.rates.index(rate)])

    @property
    def points(self) -> list[Point]:
        """All that can be run."""
        return [(batch, rate) for batch in self.batches for rate in self.rates]

    @property
    def best(self) -> Point:
        """The point with the shortest time."""
        return min(self.points, key=self.seconds)


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


def try_search(search: Search, grid: Grid, budget: int) -> Tries:
    """Let the learner's search run on a grid of which it gets nothing but ``run``'s answers.

    What it is given (arguments, and what these hold) does not have the times: ``run`` looks one
    number up for each call.
    A run beyond the budget is refused, which ends the search.

    Raises:
        AnswerError: for a point that is not there, or no point in the end.
    """
    tried: list[Point] = []
    batches, rates = list(grid.batches), list(grid.rates)
    asked = 0

    def run(batch: Any, rate: Any) -> float:
        nonlocal asked
        point = _point(grid, batch, rate)
        asked += 1
        if asked > budget:
            raise _BudgetSpentError
        tried.append(point)
        return grid.seconds(point)

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
    kept = (batches, rates) == (grid.batches, grid.rates)
    return Tries(tuple(tried), _point(grid, *pair), asked, kept)


def _point(grid: Grid, batch: Any, rate: Any) -> Point:
    """The point of the grid that is meant."""
    return (
        int(_on_grid(grid.batches, number(batch, "a batch"), "batches")),
        _on_grid(grid.rates, number(rate, "a learning rate"), "rates"),
    )


def _on_grid(values: Sequence[float], wanted: float, name: str) -> float:
    for value in values:
        if math.isclose(value, wanted, rel_tol=1e-6):
            return value
    raise AnswerError(
        f"{show(wanted)} is none of the `{name}`",
        remedy=f"They are {', '.join(map(show, values))}.",
    )
