"""spot-or-not: expected hours by the interval between saves, and simulated ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.plain import number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Mark, plot_curves

_WORK_H, _SAVE_H, _RESTART_H, _MEAN_H = 100.0, 0.1, 0.25, 8.0
_INTERVALS = tuple(0.05 * 1.35**k for k in range(18))
_RUNS = 60
Answer = Callable[..., Any]


def draw_intervals(run_h: Answer, expected_h: Answer, best_interval: Answer) -> Any:
    """The formula as a line, means of simulated runs as points, and the learner's best."""
    plan = _SAVE_H, _RESTART_H
    expected = tuple(float(number(expected_h(_WORK_H, x, *plan, _MEAN_H))) for x in _INTERVALS)
    rng = np.random.default_rng(0)
    # Enough stretches that no run uses them up at an interval that can be shown.
    lives = [rng.exponential(_MEAN_H, 400).tolist() for _ in range(_RUNS)]
    shown = _INTERVALS[2:-3:2]
    means = tuple(_mean(run_h, lives, x) for x in shown)
    best = number(best_interval(*plan, _MEAN_H))
    least = number(expected_h(_WORK_H, best, *plan, _MEAN_H)) if best > 0 else math.nan
    caption = Caption(
        title="Save too often or too rarely: both cost hours",
        x="hours of work between saves",
        y="hours of the run",
        source=f"Computed by your functions: {_WORK_H:g} h of work, a save takes {_SAVE_H:g} h, a "
        f"restart {_RESTART_H:g} h, interruptions every {_MEAN_H:g} h on average.\n"
        f"Points: means of {_RUNS} simulated runs.",
        alt=f"Expected hours by interval, from {expected[0]:.0f} at {_INTERVALS[0]:g} h to "
        f"{expected[-1]:.0f} at {_INTERVALS[-1]:.0f} h; your best interval, {best:.3g} h, takes "
        f"{least:.0f}.",
    )
    curves = [
        Curve("expected_h", _INTERVALS, expected, style.BLUE, has_marks=False),
        Curve("run_h", shown, means, style.ORANGE, dots=True),
    ]
    mark = Mark(f"your best: {best:.3g} h", float(best), float(least), (6, -20))
    return plot_curves(
        curves,
        (),
        [mark],
        caption=caption,
        format_x=lambda x: f"{x:,g}",
        format_y=lambda y: f"{y:,g}",
    )


def _mean(run_h: Answer, lives: list[list[float]], interval_h: float) -> float:
    found = [number(run_h(up_h, _WORK_H, interval_h, _SAVE_H, _RESTART_H)) for up_h in lives]
    return float(np.mean(found))


PICTURE = draw_intervals
