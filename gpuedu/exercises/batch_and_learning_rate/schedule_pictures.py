"""Pictures of schedules: every step of a short run, plans over samples, losses by rule and peak."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.schedule.plans import LARGE, LONG, RULES, SMALL
from gpuedu.exercises.batch_and_learning_rate.schedule.play import three
from gpuedu.exercises.compare import show
from gpuedu.exercises.training.tensors import as_number
from gpuedu.experiments.results import read_results
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses

_MOST_STEPS = 2000


_HIGHEST_RATE = 6.0
"""Beyond it all runs are lost."""


_TOP, _MOST_RATE = 3.0, 1e3


_BROKEN = 1.0
"""A loss above it is that of a run that came to nothing."""


_LABELS = {"true labels": "true labels", "wrong labels": "three in ten random"}


def draw_plans(rate_at: Any, rescale: Any) -> Any:
    """A plan for a small batch, and what each rule makes of it for a large one; over samples."""
    total = SMALL * LONG.steps
    plans = {f"batch {SMALL}": (SMALL, LONG)}
    for rule in RULES:
        got = rescale(SMALL, LONG.steps, LONG.warmup, LONG.peak, LARGE, rule)
        steps, warmup, peak = three(got)
        plan = LONG._replace(steps=_whole(steps), warmup=_whole(warmup), peak=peak)
        plans[f"batch {LARGE}, {rule}"] = LARGE, plan
    curves, told = [], []
    for name, (batch, plan) in plans.items():
        steps = range(min(plan.steps, total // batch))
        rates = [as_number(rate_at(step, *plan), "the rate") for step in steps]
        # A step is drawn at its end: the warm-ups of both batches are over at the same place.
        seen = [batch * (step + 1) for step in steps]
        curves.append(LossCurve(name, seen, rates))
        highest = max(rates, default=0)
        told.append(f"{name}: {len(rates)} steps")
        if rates:
            told[-1] += f", highest {highest:.3g} at {seen[rates.index(highest)]:,} samples"
    caption = Caption(
        title=f"A plan for batch {SMALL}, and yours for batch {LARGE}",
        x="samples seen at the end of the step",
        y="learning rate",
        source=f"Your functions: {LONG.steps} steps of {SMALL} with a warm-up of {LONG.warmup} "
        f"to {LONG.peak:g}, then a cosine.\nAnd what your rescale makes of it "
        f"for batches of {LARGE}.",
        alt=f"Learning rates over the samples seen, {total:,} in all. {'; '.join(told)}.",
    )
    return plot_losses(curves, caption=caption, ceiling=_MOST_RATE)


def _whole(steps: float) -> int:
    if not (steps == int(steps) and 0 <= steps <= _MOST_STEPS):
        raise AnswerError(f"`rescale` returned {show(steps)} where a number of steps is wanted")
    return int(steps)


def draw_valleys(rescale: Any) -> Any:
    """The computed losses by rate, each rate brought to the smallest batch by a rule."""
    found = read_results("loss-by-rate")
    values = found.values
    rates = [rate for rate in values["rates"] if rate <= _HIGHEST_RATE]
    smallest = min(map(int, values["losses"]))
    caption = Caption(
        title="",
        x=f"rate, brought to batch {smallest}",
        y="held-out loss (nat)",
        source=f"SGD on digits, {values['passes']} passes, median of {values['seeds']} seeds; "
        f"rates divided by what your rescale makes of 1.\n{found.source}",
        alt="Held-out loss over the learning rate for three batches, each rate divided by a "
        "rule's factor. By the linear rule the gentle sides of the valleys lie on each other and "
        "the cliffs do not; by the root neither do.",
    )
    panels = style.new_axes(3.8, columns=2)
    curves_of: dict[str, list[LossCurve]] = {rule: [] for rule in RULES}
    for rule, curves in curves_of.items():
        for batch, row in values["losses"].items():
            factor = _factor(rescale, smallest, int(batch), rule)
            steps = [rate / factor for rate in rates]
            curves.append(LossCurve(f"batch {int(batch):,}", steps, row["median"][: len(rates)]))
    every = [curve for curves in curves_of.values() for curve in curves]
    for ax, (rule, curves) in zip(panels, curves_of.items(), strict=True):
        titled = replace(caption, title=f'By "{rule}"')
        plot_losses(curves, caption=titled, log_x=True, ceiling=_TOP, alike=every, ax=ax)
    return panels[0]


def _factor(rescale: Any, small: int, batch: int, rule: str) -> float:
    _, _, factor = three(rescale(small, batch, batch, 1.0, batch, rule))
    if not 1e-6 <= factor <= 1e6:
        raise AnswerError(f"`rescale` makes {show(factor)} of a peak of 1 for batch {batch}")
    return factor


def draw_by_schedule() -> Any:
    """Computed losses by the highest rate, with true labels and with noisy ones; three plans."""
    found = read_results("loss-by-schedule")
    values = found.values
    caption = Caption(
        title="",
        x="highest rate of the run",
        y="held-out loss (nat)",
        source=f"SGD on digits, {values['passes']} passes; warm-up: {values['warm_up']:.0%} of the "
        f"steps; cosines end at 0. Lines: medians of {values['seeds']} seeds,\nbands: middle "
        f"half. {found.source}",
        alt="Held-out loss over the highest rate of a run, for a constant rate and two plans. "
        + " ".join(_tell(setting) for setting in values["settings"].values()),
    )
    panels = style.new_axes(3.8, columns=2)
    curves_of = {
        name: [
            LossCurve(plan, setting["peaks"], row["median"], row["low"], row["high"])
            for plan, row in setting["losses"].items()
        ]
        for name, setting in values["settings"].items()
    }
    every = [curve for curves in curves_of.values() for curve in curves]
    for ax, (name, curves) in zip(panels, curves_of.items(), strict=True):
        setting = values["settings"][name]
        titled = replace(caption, title=f"Batch {setting['batch']}, {_LABELS[name]}")
        plot_losses(curves, caption=titled, log_x=True, ceiling=_TOP, alike=every, ax=ax)
    return panels[0]


def _tell(setting: dict[str, Any]) -> str:
    """The lowest loss of each plan, and the highest rate with which it is below ``_BROKEN``."""
    told = []
    for plan, row in setting["losses"].items():
        pairs = list(zip(row["median"], setting["peaks"], strict=True))
        loss, peak = min(pairs)
        bears = max((rate for median, rate in pairs if median < _BROKEN), default=0)
        told.append(f"{plan}: lowest {loss:.2f} at {peak:g}, below {_BROKEN:g} up to {bears:g}")
    return f"Batch {setting['batch']}: {'; '.join(told)}."
