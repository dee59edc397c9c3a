"""What a run that saves at intervals is expected to lose, exactly: for any kind of failures.

From one failure to the next, a run keeps as many intervals as there are checkpoints that were
written in time. After ``k`` intervals the last is written ``restart + k (interval + save) + write``
after the failure, so that many are kept with the chance that the next failure comes later still.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from gpuedu.exercises.long_runs.interrupted_run import Saving

_ENOUGH = 1e-13
_MOST_INTERVALS = 1_000_000


def exponential_waste(interval_s: float, saving: Saving, mtbf_s: float) -> float:
    """Seconds that are lost for each second of training that is kept: failures without memory.

    It is the expected time of an interval, ``mtbf e^((restart + write) / mtbf) (e^((interval +
    save) / mtbf) - 1)``, over the interval, minus 1. Infinite where that is no number.

    >>> round(exponential_waste(1800, Saving(60, 0, 300), 10_800), 4)
    0.1594
    """
    if not 0 < interval_s < math.inf:
        return math.inf
    try:
        wait = math.exp((saving.restart_s + saving.write_s) / mtbf_s)
        return mtbf_s / interval_s * wait * math.expm1((interval_s + saving.save_s) / mtbf_s) - 1
    except OverflowError:
        return math.inf


def best_exponential(saving: Saving, mtbf_s: float) -> float:
    """The interval with the least waste, of those that leave time for writing.

    Where the derivative is 0, ``1 - x = e^(-(x + save / mtbf))`` with ``x`` in mean times between
    failures; the left side is larger below that point.
    """
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if 1 - middle > math.exp(-(middle + saving.save_s / mtbf_s)):
            low = middle
        else:
            high = middle
    return max(low * mtbf_s, saving.write_s)


def expected_waste(
    interval_s: float, saving: Saving, mtbf_s: float, survival: Callable[[float], float]
) -> float:
    """Seconds that are lost for each second that is kept, for failures of any kind.

    Args:
        interval_s: Training between two saves.
        saving: Costs.
        mtbf_s: The mean of the time from one failure to the next.
        survival: The chance that this time is longer than so many seconds.
    """
    kept, period_s = 0.0, interval_s + saving.save_s
    for count in range(1, _MOST_INTERVALS):
        chance = survival(saving.restart_s + saving.write_s + count * period_s)
        kept += interval_s * chance
        if chance < _ENOUGH:
            break
    return mtbf_s / kept - 1 if kept else math.inf


def weibull_survival(mtbf_s: float, shape: float) -> Callable[[float], float]:
    """Of times with this mean; with a shape below 1, failures come in bunches.

    >>> round(weibull_survival(100.0, 1.0)(100.0), 6) == round(math.exp(-1), 6)
    True
    """
    scale_s = mtbf_s / math.gamma(1 + 1 / shape)
    return lambda time_s: math.exp(-((time_s / scale_s) ** shape))
