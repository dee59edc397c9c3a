"""lr-finder: its picture."""

from __future__ import annotations

import math
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.lr_finder.finder_pictures import TOP
from gpuedu.exercises.batch_and_learning_rate.lr_finder.play import two_lists
from gpuedu.exercises.batch_and_learning_rate.lr_finder.rate_trials import (
    BATCHES,
    HIGHEST,
    LOWEST,
    RUNGS,
    Swept,
)
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_number
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Mark
from gpuedu.figures.training import LossCurve, plot_losses


def draw_sweeps(sweep: Any, suggest: Any = None) -> Any:
    """The learner's sweeps on digits with two batches: each loss a point, smoothed lines."""
    from gpuedu.training import load_digits

    curves, marks, told = [], [], []
    for batch in BATCHES:
        with quiet_torch():
            swept = Swept(batch)
            rates, smoothed = two_lists(sweep(swept, LOWEST, HIGHEST, RUNGS))
        steps = len(swept.rates)
        told.append(
            f"batch {batch:,}: {steps} steps, to a rate of {max(swept.rates, default=0):.3g}"
        )
        if not rates:
            continue
        losses = [*swept.losses, *[float("nan")] * len(rates)][: len(rates)]
        curves.append(LossCurve(f"batch {batch:,}", rates, losses, smoothed=smoothed))
        if suggest is not None:
            found = as_number(suggest(list(rates), list(smoothed)), "what `suggest` returned")
            lowest = rates[smoothed.index(min(smoothed))]
            offset = (4, 13) if batch == min(BATCHES) else (-4, -13)
            marks += _mark("", lowest, rates, smoothed)
            marks += _mark(f"{found:.2g}", found, rates, smoothed, offset)
            told[-1] += f", lowest smoothed loss at {lowest:.2g}, suggested {found:.2g}"
    # A line over all rates: a sweep that stops at once is seen as short.
    guess = math.log(len(load_digits().classes))
    curves.append(LossCurve("guessing", (LOWEST, HIGHEST), (guess, guess)))
    caption = Caption(
        title="A sweep with each batch" + (", and the rate that it suggests" if marks else ""),
        x="learning rate of the step",
        y="loss (nat)",
        source=f"Your sweeps now, on a CPU: {RUNGS} rates from {LOWEST:g} to {HIGHEST:g}, a small "
        "network on digits.\nPoints: losses; lines: smoothed"
        + ("; rings: their lowest points and, with numbers, what you suggest." if marks else "."),
        alt=f"Loss over the learning rate, which rises from step to step. {'; '.join(told)}.",
    )
    return plot_losses(curves, marks=marks, caption=caption, log_x=True, ceiling=TOP)


def _mark(
    name: str,
    found: float,
    rates: list[float],
    smoothed: list[float],
    offset: tuple[float, float] = (8, 0),
) -> list[Mark]:
    """A rate on the line of its batch; nothing where that is not on the axis."""
    if not rates[0] <= found <= rates[-1]:
        return []
    place = min(range(len(rates)), key=lambda k: abs(rates[k] - found))
    if not 0 <= smoothed[place] <= TOP:
        return []
    return [Mark(name, rates[place], smoothed[place], offset)]


PICTURE = draw_sweeps
