"""Pictures of sweeps over learning rates, of what they find, and of runs with shares of that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.play_finder import two_lists
from gpuedu.exercises.batch_and_learning_rate.rate_trials import (
    BATCHES,
    HIGHEST,
    LOWEST,
    RUNGS,
    Swept,
)
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_number
from gpuedu.experiments.results import read_results
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Mark
from gpuedu.figures.training import LossCurve, plot_losses

_TOP = 5.0


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
        y="loss",
        source=f"Your sweeps now, on a CPU: {RUNGS} rates from {LOWEST:g} to {HIGHEST:g}, a small "
        "network on digits.\nPoints: losses; lines: smoothed"
        + ("; rings: their lowest points and, with numbers, what you suggest." if marks else "."),
        alt=f"Loss over the learning rate, which rises from step to step. {'; '.join(told)}.",
    )
    return plot_losses(curves, marks=marks, caption=caption, log_x=True, ceiling=_TOP)


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
    if not 0 <= smoothed[place] <= _TOP:
        return []
    return [Mark(name, rates[place], smoothed[place], offset)]


def draw_shares() -> Any:
    """What sweeps suggest by their number of rates; losses of runs with shares of a rate."""
    found = read_results("rate-finder")
    values, counted, shared, told = found.values, [], [], []
    shares = sorted(values["shares"].items(), key=lambda item: item[1])
    for batch, row in values["batches"].items():
        counts, quartiles = zip(*row["by_count"].items(), strict=True)
        low, middle, high = ([rate / 2 for rate in one] for one in zip(*quartiles, strict=True))
        name = f"batch {int(batch):,}"
        counted.append(LossCurve(name, list(map(int, counts)), middle, low, high))
        suggested = zip(counts, middle, strict=True)
        told.append(f"{name}: {', '.join(f'{rate:.2f} with {n} rates' for n, rate in suggested)}")
        low, middle, high = zip(*(row["losses"][share] for share, _ in shares), strict=True)
        shared.append(LossCurve(name, [share for _, share in shares], middle, low, high))
        losses = zip(shares, middle, strict=True)
        told.append(f"losses: {', '.join(f'{loss:.2f} with {share[0]}' for share, loss in losses)}")
    caption = Caption(
        title="What sweeps suggest",
        x="rates in the sweep",
        y="suggested rate",
        source=f"Left: medians of {values['count_seeds']} sweeps from {LOWEST:g} to {HIGHEST:g}. "
        f"Right: {values['passes']} passes at one rate, medians of {values['seeds']} sweeps and "
        f"runs; bands: the middle half.\n{found.source}",
        alt="Left: the suggested rate falls with the number of rates and settles from 100 or 200 "
        "on. Right: held-out loss by share of the rate that has the lowest smoothed loss. "
        f"{'; '.join(told)}.",
    )
    left, right = style.new_axes(3.8, columns=2)
    plot_losses(
        counted, caption=caption, log_x=True, x_ticks=_ticks(counted), ceiling=HIGHEST, ax=left
    )
    texts = {"title": "Whole runs", "x": "share of the lowest loss's rate", "y": "held-out loss"}
    plot_losses(
        shared,
        caption=replace(caption, **texts),
        log_x=True,
        x_ticks=_ticks(shared),
        ceiling=_TOP,
        ax=right,
    )
    return left


def _ticks(curves: list[LossCurve]) -> Sequence[float]:
    """A number at each point of the curves, which have the same."""
    return curves[0].steps


FINDER_PICTURES = {
    "lr-finder": draw_sweeps,
    "batch-and-learning-rate/shares": draw_shares,
}
