"""The first pictures: what a batch buys in samples per second, and which rate it asks for."""

from __future__ import annotations

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


def draw_which_batch() -> Any:
    """Modeled samples per second by batch."""
    caption = Caption(
        title="A larger batch makes a device faster, up to a point",
        x="batch",
        y="samples/s",
        source="Modeled, not measured: a step of 250 launches of 6 µs each, with 4 µs of work for "
        "each sample.",
        alt="Samples per second over the batch, both axes logarithmic: they rise in proportion up "
        "to a batch of about 370 and then level off at 250,000.",
    )
    per_s = tuple(OPENING.samples_per_s(batch) for batch in _BATCHES)
    best = Level("as fast as it gets", OPENING.best_per_s, style.QUIET, at_left=True)
    return plot_curves([Curve("", _BATCHES, per_s, style.BLUE)], [best], caption=caption)


def draw_which_rate() -> Any:
    """The loss after 8 passes by learning rate, a valley for each batch."""
    found = read_results("loss-by-rate")
    values = found.values
    inside = [_LOWEST_RATE < rate < _HIGHEST_RATE for rate in values["rates"]]
    rates = list(compress(values["rates"], inside))
    curves = [
        LossCurve(f"batch {int(batch):,}", rates, *(list(compress(row[k], inside)) for k in _ROWS))
        for batch, row in values["losses"].items()
    ]
    lowest = {
        batch: min(zip(row["median"], values["rates"], strict=True))
        for batch, row in values["losses"].items()
    }
    told = "; ".join(
        f"batch {int(batch):,}: {loss:.2f} at {rate:g}" for batch, (loss, rate) in lowest.items()
    )
    caption = Caption(
        title="Each batch has its valley of learning rates",
        x="learning rate",
        y="held-out loss (nat)",
        source=f"SGD on digits, {values['passes']} passes over the data for every batch. Lines: "
        f"medians of {values['seeds']} seeds; bands: the middle half.\n{found.source}",
        alt="Held-out loss over the learning rate has a valley for each batch, the narrower the "
        f"larger the batch; lowest for {told}.",
    )
    return plot_losses(curves, caption=caption, log_x=True, ceiling=3.0)
