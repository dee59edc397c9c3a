"""Ladders of rates, smoothed losses and where a sweep stops: as asked for, and as mistaken."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gpuedu.exercises.compare import Misconception

KEPT, LIMIT = 0.9, 2.0
"""``BETA`` and ``LIMIT`` of the lesson."""


def ladder(low: float, high: float, count: int) -> list[float]:
    """``count`` rates from ``low`` to ``high``, each by the same factor above the one before."""
    return [low * (high / low) ** (rung / (count - 1)) for rung in range(count)]


LADDERS = (
    Misconception(
        lambda low, high, count: [low * (high / low) ** (k / count) for k in range(count)],
        "The last one is not `high`. From the first of `count` rates to the last: how many factors "
        "is that?",
    ),
    Misconception(
        lambda low, high, count: [low * (high / low) ** ((k + 1) / count) for k in range(count)],
        "The first one is not `low`.",
    ),
    Misconception(
        lambda low, high, count: [low + (high - low) * k / (count - 1) for k in range(count)],
        "Those are equal differences, so nearly all rates are near `high`. Equal *factors* are "
        "asked for.",
    ),
    Misconception(
        lambda low, high, count: [high * (low / high) ** (k / (count - 1)) for k in range(count)],
        "That goes from `high` down to `low`. What is left of the network after the first step?",
    ),
    Misconception(
        lambda low, high, count: [
            10.0 ** (low + (high - low) * k / (count - 1)) for k in range(count)
        ],
        "`logspace` takes exponents of 10, not the numbers themselves.",
    ),
)


def smooth(losses: Sequence[float]) -> list[float]:
    """Exponential averages of the losses so far, corrected for the 0 that they begin with."""
    average, smoothed = 0.0, []
    for count, loss in enumerate(losses, 1):
        average = KEPT * average + (1 - KEPT) * loss
        smoothed.append(average / (1 - KEPT**count))
    return smoothed


def _uncorrected(losses: Sequence[float]) -> list[float]:
    return [mean * (1 - KEPT**count) for count, mean in enumerate(smooth(losses), 1)]


def _from_the_first(losses: Sequence[float]) -> list[float]:
    smoothed = [losses[0]]
    for loss in losses[1:]:
        smoothed.append(KEPT * smoothed[-1] + (1 - KEPT) * loss)
    return smoothed


def _swapped(losses: Sequence[float]) -> list[float]:
    average, smoothed = 0.0, []
    for count, loss in enumerate(losses, 1):
        average = (1 - KEPT) * average + KEPT * loss
        smoothed.append(average / (1 - (1 - KEPT) ** count))
    return smoothed


def _corrected_in_place(losses: Sequence[float]) -> list[float]:
    average, smoothed = 0.0, []
    for count, loss in enumerate(losses, 1):
        average = (KEPT * average + (1 - KEPT) * loss) / (1 - KEPT**count)
        smoothed.append(average)
    return smoothed


def _one_behind(losses: Sequence[float]) -> list[float]:
    """Corrected with the number of losses before: nothing to divide by at the first."""
    smoothed = [mean * (1 - KEPT**k) for k, mean in enumerate(smooth(losses), 1)]
    return [mean / (1 - KEPT ** (k + 2)) for k, mean in enumerate(smoothed)]


def _means(losses: Sequence[float]) -> list[float]:
    return [sum(losses[:count]) / count for count in range(1, len(losses) + 1)]


Smoothing = Callable[[Sequence[float]], list[float]]
"""Losses to as many smoothed ones."""

SMOOTHINGS: tuple[tuple[Smoothing, str], ...] = (
    (
        _uncorrected,
        "That is without the correction: the average begins at 0, and is slow to leave it.",
    ),
    (list, "Those are the losses themselves."),
    (
        _from_the_first,
        "That begins the average with the first loss, which so keeps a large weight.",
    ),
    (_swapped, "That keeps 0.1 of the average and takes 0.9 of the loss. Which way round is it?"),
    (
        _corrected_in_place,
        "There the *corrected* value goes into the next average. Keep both: the average goes on "
        "uncorrected.",
    ),
    (_one_behind, "After n losses the average is divided by `1 - BETA**n`. Is your n one off?"),
    (_means, "That is the mean of all losses so far: the old ones never fade."),
)


@dataclass(frozen=True)
class Stop:
    """A rule when a sweep stops: its words on a card, and which losses it compares."""

    says: str
    value: str = "smoothed"
    against: str = "lowest"
    limit: float = LIMIT
    corrected: bool = True
    blind_to_nan: bool = False


RULE = Stop("")


def stops_after(losses: Sequence[float], rule: Stop = RULE) -> int:
    """How many steps a sweep takes by this rule: the one that stops it is the last."""
    smoothed = smooth(losses) if rule.corrected else _uncorrected(losses)
    values = list(losses) if rule.value == "raw" else smoothed
    lows = {"lowest loss": list(losses), "lowest smoothed loss": smoothed}.get(rule.against, values)
    return _stops_after(values, lows, rule)


def stops_when_smoothed_by(kind: Smoothing, losses: Sequence[float]) -> int:
    """How many steps a sweep takes whose losses are smoothed in this way."""
    values = kind(losses)
    return _stops_after(values, values, RULE)


def _stops_after(values: Sequence[float], lows: Sequence[float], rule: Stop) -> int:
    for place, value in enumerate(values):
        if not math.isfinite(value):
            if not (rule.blind_to_nan and math.isnan(value)):
                return place + 1
            continue
        if place and value > rule.limit * _held_against(rule, values, lows, place):
            return place + 1
    return len(values)


def _held_against(rule: Stop, values: Sequence[float], lows: Sequence[float], place: int) -> float:
    if rule.against == "first":
        return values[0]
    if rule.against == "previous":
        return values[place - 1]
    return min((low for low in lows[:place] if low == low), default=math.inf)


STOPS = (
    Stop(
        "A comparison with NaN is False, whichever: `nan > anything` never stops. Is there a "
        "question for what is finite?",
        blind_to_nan=True,
    ),
    Stop("That holds the raw losses against the limit: a single bad batch ends it.", value="raw"),
    Stop(
        "That holds the raw losses against the limit: a single bad batch ends it.",
        value="raw",
        against="lowest smoothed loss",
    ),
    Stop(
        "That holds it against the first. The loss is lower by then: against the lowest so far.",
        against="first",
    ),
    Stop(
        "That holds it against the one before. A slow rise never doubles in a step.",
        against="previous",
    ),
    Stop(
        "That holds the smoothed loss against the lowest *raw* loss, which is lower by chance.",
        against="lowest loss",
    ),
    Stop(
        "That is without the correction: the lowest so far is the very first, near 0.",
        corrected=False,
    ),
    Stop("It never stops early.", limit=math.inf, blind_to_nan=True),
    Stop("That stops at the first rise. Losses are noisy: LIMIT times the lowest.", limit=1.0),
)

SUGGESTIONS = (
    Misconception(
        lambda rates, smoothed: rates[int(np.argmin(smoothed))],
        "That is the rate of the lowest loss itself, where the fall has just come to its end.",
    ),
    Misconception(
        lambda rates, smoothed: rates[int(np.argmin(smoothed))] / 10, "That is a tenth of it."
    ),
    Misconception(
        lambda rates, smoothed: rates[int(np.argmin(smoothed)) // 2],
        "That is half of the *place* in the list. The rates are by equal factors.",
    ),
    Misconception(
        lambda rates, smoothed: rates[int(np.argmin(np.diff(smoothed)))],
        "That is where the loss falls most steeply.",
    ),
    Misconception(
        lambda rates, smoothed: rates[int(np.argmin(np.gradient(smoothed)))],
        "That is where the loss falls most steeply.",
    ),
    Misconception(lambda rates, smoothed: rates[-1] / 2, "That is half of the largest rate."),
    Misconception(
        lambda rates, smoothed: min(smoothed) / 2, "That is half of the lowest *loss*. Of its rate?"
    ),
    Misconception(
        lambda rates, smoothed: rates[int(np.argmax(smoothed))] / 2, "That is at the highest loss."
    ),
)
