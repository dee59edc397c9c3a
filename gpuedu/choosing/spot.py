"""Machines that may be taken back at any time: how long a run takes on them, how often to save.

The expectation is J. Daly's, "A higher order estimate of the optimum checkpoint interval for
restart dumps", Future Generation Computer Systems 22, 2006, equation 13, for interruptions at
random (an exponential distribution). It also counts a save after the last piece.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

_STEP, _LOW, _HIGH = 1.002, -4000, 1500


def run_h(
    up_h: Sequence[float], work_h: float, interval_h: float, save_h: float, restart_h: float
) -> float:
    """Hours of a run that is interrupted after each of ``up_h``, then no more.

    Work is safe once a save of it is complete; each stretch but the first begins with a restart.

    >>> run_h([2.5], 4.0, 1.0, 0.25, 0.5)  # two saves, and nothing lost
    5.25
    """
    total = saved = 0.0
    now, left = 0.0, work_h
    for place, up in enumerate([*up_h, math.inf]):
        now = restart_h if place else 0.0
        while work_h - saved > interval_h and now + interval_h + save_h <= up:
            now += interval_h + save_h
            saved += interval_h
        left = work_h - saved
        if left <= interval_h and now + left <= up:
            break
        total += up
    return total + now + left


def expected_h(
    work_h: float, interval_h: float, save_h: float, restart_h: float, mean_h: float
) -> float:
    """The mean of ``run_h`` where interruptions come at random, ``mean_h`` apart.

    >>> round(expected_h(100, 1.0, 0.1, 0.2, 10.0), 1)
    118.6
    """
    piece = math.expm1((interval_h + save_h) / mean_h)
    return mean_h * math.exp(restart_h / mean_h) * piece * work_h / interval_h


def best_interval(save_h: float, restart_h: float, mean_h: float) -> float:
    """The interval of work between saves that takes the fewest hours, to 0.2%.

    >>> round(best_interval(0.1, 0.2, 10.0), 2)
    1.35
    """
    guess = math.sqrt(2 * save_h * mean_h)
    tried = [guess * _STEP**k for k in range(_LOW, _HIGH)]
    return min(tried, key=lambda one: _or_inf(one, save_h, restart_h, mean_h))


def _or_inf(interval_h: float, save_h: float, restart_h: float, mean_h: float) -> float:
    try:
        return expected_h(1, interval_h, save_h, restart_h, mean_h)
    except OverflowError:
        return math.inf
