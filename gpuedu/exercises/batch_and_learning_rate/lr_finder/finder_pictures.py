"""Pictures of sweeps over learning rates, of what they find, and of runs with shares of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.lr_finder.rate_trials import HIGHEST, LOWEST
from gpuedu.experiments.results import read_results
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses

TOP = 5.0


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
    texts = {
        "title": "Whole runs",
        "x": "share of the rate with the lowest loss",
        "y": "held-out loss (nat)",
    }
    plot_losses(
        shared,
        caption=replace(caption, **texts),
        log_x=True,
        x_ticks=_ticks(shared),
        ceiling=TOP,
        ax=right,
    )
    return left


def _ticks(curves: list[LossCurve]) -> Sequence[float]:
    """A number at each point of the curves, which have the same."""
    return curves[0].steps
