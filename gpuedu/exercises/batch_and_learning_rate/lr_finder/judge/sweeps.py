"""A ladder of rates, smoothed losses, and where a sweep stops."""

from __future__ import annotations

import math
from collections.abc import Sequence

KEPT, LIMIT = 0.9, 2.0
"""``BETA`` and ``LIMIT`` of the lesson."""


def ladder(low: float, high: float, count: int) -> list[float]:
    """``count`` rates from ``low`` to ``high``, each by the same factor above the one before."""
    return [low * (high / low) ** (rung / (count - 1)) for rung in range(count)]


def smooth(losses: Sequence[float]) -> list[float]:
    """Exponential averages of the losses so far, corrected for the 0 that they begin with."""
    average, smoothed = 0.0, []
    for count, loss in enumerate(losses, 1):
        average = KEPT * average + (1 - KEPT) * loss
        smoothed.append(average / (1 - KEPT**count))
    return smoothed


def stops_after(losses: Sequence[float]) -> int:
    """How many steps a sweep takes: the one that stops it is the last."""
    lowest = math.inf
    for steps, value in enumerate(smooth(losses), 1):
        if not math.isfinite(value) or value > LIMIT * lowest:
            return steps
        lowest = min(lowest, value)
    return len(losses)
