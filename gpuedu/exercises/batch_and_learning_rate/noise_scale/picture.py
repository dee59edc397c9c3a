"""noise-scale: its picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.noise_scale.gradient_noise import (
    FEW,
    MANY,
    PAIRS,
    NoiseScale,
    watch_run,
)
from gpuedu.exercises.compare import show
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves

_LONE = 12


_HIGHEST, _LOWEST = 1e5, 1.0
"""What a single step says may lie anywhere; the axis is for those that are of some use."""


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


PICTURE = draw_noise
