"""The lesson's first picture: what a batch buys in samples per second, and what it asks for."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.step_costs import OPENING
from gpuedu.experiments.results import read_results
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, plot_curves
from gpuedu.figures.training import LossCurve, plot_losses

_BATCHES = tuple(sorted({round(2 ** (eighths / 8)) for eighths in range(12 * 8 + 1)}))


_LOWEST_RATE, _HIGHEST_RATE = 2e-3, 2.0
"""Below nothing happens, beyond it all runs are lost."""


_ROWS = ("median", "low", "high")


def draw_two_questions() -> Any:
    """Modeled rates by batch beside the loss after 8 passes by learning rate."""
    found = read_results("loss-by-rate")
    values = found.values
    inside = [_LOWEST_RATE < rate < _HIGHEST_RATE for rate in values["rates"]]
    rates = list(compress(values["rates"], inside))
    curves = [
        LossCurve(f"batch {batch}", rates, *(list(compress(row[k], inside)) for k in _ROWS))
        for batch, row in values["losses"].items()
    ]
    lowest = {
        batch: min(zip(row["median"], values["rates"], strict=True))
        for batch, row in values["losses"].items()
    }
    told = "; ".join(
        f"batch {batch}: {loss:.2f} at {rate:g}" for batch, (loss, rate) in lowest.items()
    )
    caption = Caption(
        title="Which batch?",
        x="batch",
        y="samples/s",
        source="Left: modeled, a step of 250 launches of 6 µs, 4 µs a sample. Right: SGD on "
        f"digits, {values['passes']} passes, median of {values['seeds']} seeds.\n{found.source}",
        alt="Left: samples per second rise in proportion to the batch up to about 370 and then "
        "level off. Right: held-out loss over the learning rate has a valley for each batch, the "
        f"narrower the larger the batch; lowest for {told}.",
    )
    left, right = style.new_axes(3.6, columns=2)
    per_s = tuple(OPENING.samples_per_s(batch) for batch in _BATCHES)
    best = Level("as fast as it gets", OPENING.best_per_s, style.QUIET, at_left=True)
    plot_curves([Curve("", _BATCHES, per_s, style.BLUE)], [best], caption=caption, ax=left)
    second = replace(
        caption, title="Which learning rate then?", x="learning rate", y="held-out loss"
    )
    plot_losses(curves, caption=second, log_x=True, ceiling=3.0, ax=right)
    return left
