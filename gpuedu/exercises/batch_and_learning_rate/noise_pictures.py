"""Pictures of gradient noise: the learner's estimates along a run, and steps by batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.gradient_noise import (
    FEW,
    MANY,
    PAIRS,
    NoiseScale,
    watch_run,
)
from gpuedu.exercises.compare import show
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_number
from gpuedu.experiments import read_results
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Mark, plot_curves

_LONE = 12
_HIGHEST, _LOWEST = 1e5, 1.0
"""What a single step says may lie anywhere; the axis is for those that are of some use."""
_SHOWN = {
    "one hidden layer": ("one hidden layer", style.BLUE),
    "wrong labels": ("30% of labels\nrandom", style.RED),
}


def draw_noise(noise_scale: NoiseScale) -> Any:
    """The learner's estimates from many steps and from single ones, beside the truth."""
    moments = watch_run()
    steps = tuple(moment.step for moment in moments)
    truths = tuple(moment.truth.scale for moment in moments)
    with quiet_torch():
        own = tuple(_estimate(noise_scale, moment.pairs) for moment in moments)
        lone = [
            (moment.step, _estimate(noise_scale, [pair]))
            for moment in moments
            for pair in moment.pairs[:_LONE]
        ]
    seen = [(step, scale) for step, scale in lone if _LOWEST < scale < _HIGHEST]
    dots = tuple(zip(*seen, strict=True)) or ((), ())
    mine = tuple(map(_within, own))
    name = f"yours, from\n{PAIRS} pairs"
    last = max((step for step, scale in zip(steps, mine, strict=True) if scale > 0), default=0)
    if last < steps[-1]:  # the name stands at the right end, where the line is not
        name += f",\nto step {last:,}"
    curves = [
        Curve("the truth", steps, truths, style.INK),
        Curve(name, steps, mine, style.GREEN, has_gaps=True),
    ]
    if seen:  # below the lines
        curves.insert(0, Curve("from one\npair each", *dots, style.BLUE, dots=True))
    told = "; ".join(
        f"step {step:,}: {truth:,.0f}, yours {show(float(f'{mine:.3g}'))}"
        for step, truth, mine in zip(steps, truths, own, strict=True)
    )
    caption = Caption(
        title="The noise scale along a run",
        x="steps done",
        y="noise scale (samples)",
        source=f"Computed here: SGD on digits; gradients of {FEW} and of {MANY} samples. The truth "
        f"is from every sample's own.\n{len(lone) - len(seen)} of {len(lone)} single pairs give "
        f"nothing that can be drawn: no signal, or infinity.{_left_out(steps, own)}",
        alt=f"Noise scale over steps, both logarithmic. The truth, and your estimate: {told}. "
        f"Single pairs give {_range(dots[1])}.",
    )
    return plot_curves(curves, caption=caption, height_in=3.8)


def _range(scales: Sequence[float]) -> str:
    """From where to where, for the alternative text."""
    return f"numbers from {min(scales):,.0f} to {max(scales):,.0f}" if scales else "no numbers"


def _left_out(steps: Sequence[int], own: Sequence[float]) -> str:
    """Where the learner's line is broken, and by what."""
    kinds = {
        "infinity": math.inf.__eq__,
        "no number": math.isnan,
        "0, negative, or above the axis": lambda scale: scale <= 0 or _HIGHEST <= scale < math.inf,
    }
    told = [
        f"{kind} at {'step' if len(found) == 1 else 'steps'} {', '.join(found)}"
        for kind, holds in kinds.items()
        if (found := [f"{step:,}" for step, scale in zip(steps, own, strict=True) if holds(scale)])
    ]
    return f" Yours: {'; '.join(told)}." if told else ""


def _within(scale: float) -> float:
    return scale if scale < _HIGHEST else math.nan


def _estimate(noise_scale: NoiseScale, pairs: Sequence[Any]) -> float:
    """The learner's number; NaN where it is none, or where a single step is too much for it."""
    copies = [tuple([part.clone() for part in one] for one in pair) for pair in pairs]
    try:
        return as_number(noise_scale(copies, FEW, MANY), "the noise scale")
    except (AnswerError, ArithmeticError):
        return math.nan


def draw_steps_by_batch() -> Any:
    """Fewest steps by batch over all learning rates, and the law that is nearest to them."""
    found = read_results("steps-to-accuracy")
    batches = tuple(found.values["batches"])
    curves, marks, told = [], [], []
    smooth = tuple(batches[0] * (batches[-1] / batches[0]) ** (i / 60) for i in range(61))
    for name, (label, colour) in _SHOWN.items():
        setting = found.values["settings"][name]
        fewest = tuple(min(filter(None, row)) for row in setting["steps"])
        least, scale = fit_law(batches, fewest)
        law = tuple(least * (1 + scale / batch) for batch in smooth)
        goal = f"{setting['target']:.0%}"
        curves.append(Curve(f"{label},\nto {goal}", batches, fewest, colour, dots=True))
        curves.append(Curve("", smooth, law, colour, has_marks=False))
        offset = (8, 14) if marks else (-6, -16)
        marks.append(Mark(f"B = {scale:.0f}", scale, 2 * least, offset))
        steps = ", ".join(
            f"{count} at {batch}" for batch, count in zip(batches, fewest, strict=True)
        )
        told.append(f"{name}, to {goal}: {steps}; the law with B = {scale:.0f}")
    caption = Caption(
        title="Steps to an accuracy, each batch with its best rate",
        x="batch",
        y="steps",
        source=f"SGD on digits, median of {found.values['seeds']} seeds (dots); lines: the law "
        f"fitted to them, rings: its B.\n{found.source}",
        alt=f"Steps over the batch, both logarithmic. {'. '.join(told)}. They fall with the "
        "batch at first, and level off.",
    )
    return plot_curves(curves, (), marks, caption=caption, height_in=3.6)


def fit_law(batches: Sequence[int], steps: Sequence[float]) -> tuple[float, float]:
    """``least`` and ``B`` of the law ``least (1 + B / batch)`` nearest to these steps, as ratios.

    >>> fit_law((1, 2, 4), (30.0, 20.0, 15.0))
    (10.0, 2.0)
    """
    import numpy as np

    rows = np.array([[1.0, 1 / batch] for batch in batches]) / np.array(steps)[:, None]
    (least, product), *_ = np.linalg.lstsq(rows, np.ones(len(batches)), rcond=None)
    return round(float(least), 9), round(float(product / least), 9)


NOISE_PICTURES = {
    "noise-scale": draw_noise,
    "batch-and-learning-rate/steps-by-batch": draw_steps_by_batch,
}
