"""throughput-knee: its picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.step_costs import (
    IN_ONE_GO,
    LARGE_WEIGHTS,
    SHARE,
    SHOWN,
)
from gpuedu.exercises.plain import number, whole_number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, Mark, plot_curves

_BATCHES = tuple(sorted({round(2 ** (eighths / 8)) for eighths in range(13 * 8 + 1)}))
"""So near to each other that a bend is one."""


_DEVICES = {
    "400 launches": (SHOWN, style.BLUE, (6, -13)),
    "20 launches": (IN_ONE_GO, style.GREEN, (0, 15)),
    "400 launches,\n6 ms of fixed work": (LARGE_WEIGHTS, style.RED, (-2, -15)),
}


_MOST_PER_S = 1e12


def draw_throughput(samples_per_s: Any, knee: Any) -> Any:
    """The learner's rates by batch for three steps, with the learner's knee on each."""
    curves, marks, told = [], [], []
    for name, (cost, color, offset) in _DEVICES.items():
        rates = tuple(_rate(samples_per_s, batch, cost) for batch in _BATCHES)
        curves.append(Curve(name, _BATCHES, rates, color))
        at = _knee(knee, cost)
        if 0 < at <= _BATCHES[-1]:
            marks.append(Mark(f"{at:,}", at, _rate(samples_per_s, at, cost), offset))
        told.append(f"{name.replace(chr(10), ' ')}: knee at {at:,}")
    caption = Caption(
        title=f"Samples per second by batch; rings: your knee at {SHARE:.0%}",
        x="batch",
        y="samples/s",
        source="Your `samples_per_s` and `knee`: 5 µs a launch, 11 µs a sample, 0.1 ms of fixed "
        "work if nothing else is said.\nDashed: as fast as it gets.",
        alt="Rates over the batch, both logarithmic: they rise in proportion and level off at "
        f"{SHOWN.best_per_s:,.0f} samples/s. {'; '.join(told)}.",
    )
    best = Level("", SHOWN.best_per_s, style.QUIET)
    return plot_curves(curves, [best], marks, caption=caption, height_in=3.8)


def _rate(samples_per_s: Any, batch: int, cost: Sequence[float]) -> float:
    try:
        rate = float(number(samples_per_s(batch, *cost)))
    except AnswerError:
        return float("nan")
    return rate if rate < _MOST_PER_S else float("nan")


def _knee(knee: Any, cost: Sequence[float]) -> int:
    try:
        return whole_number(knee(SHARE, *cost))
    except AnswerError:
        return 0


PICTURE = draw_throughput
