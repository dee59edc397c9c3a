"""count-the-work: its picture."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.why_gpus import machines
from gpuedu.exercises.why_gpus.pictures import drawable
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, Mark, plot_curves

BATCHES = tuple(int(n) for n in np.unique(np.geomspace(1, 4096, 61).round()))


SIDE = 4096


def draw_count_the_work(linear_work: Callable[..., Any], intensity: Callable[..., Any]) -> Any:
    """Intensity of a linear layer against the batch, beside what a device asks for."""
    gpu = machines.large_gpu()
    ridge = gpu.bf16_flop_per_s / gpu.bytes_per_s
    values = tuple(_intensity(linear_work, intensity, batch) for batch in BATCHES)
    curve = Curve("your layer", tuple(map(float, BATCHES)), values, style.BLUE)
    crossing = next(
        (n for n in range(1, SIDE + 1) if _intensity(linear_work, intensity, n) >= ridge), 0
    )
    said = f"from batch {crossing} on\narithmetic is the limit"
    marks = [Mark(said, float(crossing), ridge, (9, -24))] if crossing > 1 else []
    level = Level(
        f"{gpu.name}: {ridge:.0f} FLOP per byte (data sheet)", ridge, style.RED, at_left=True
    )
    caption = Caption(
        title="A larger batch uses each weight more often",
        x=f"batch size, for a {SIDE} x {SIDE} linear layer in 16 bits",
        y="intensity (FLOP per byte)",
        source="Curve: your functions. Dashed: peak of dense bf16 over memory bandwidth, both "
        f"from the data sheet of the {gpu.name}.",
        alt=f"Arithmetic intensity against batch size: {values[0]:.3g} FLOP per byte at batch 1, "
        f"{values[-1]:,.4g} at {BATCHES[-1]:,}. The {gpu.name} needs {ridge:.0f} to be kept busy"
        + (f", reached from batch {crossing}." if crossing else ", never reached."),
    )
    return plot_curves([curve], [level], marks, caption=caption)


def _intensity(linear_work: Callable[..., Any], intensity: Callable[..., Any], batch: int) -> float:
    """The learner's intensity at one batch size; nan where ``linear_work`` gave no pair."""
    work = linear_work(batch, SIDE, SIDE, 2)
    if not isinstance(work, tuple | list) or len(work) != 2:
        return math.nan
    if any(math.isnan(drawable(part)) for part in work):
        return math.nan
    return drawable(intensity(*work))


PICTURE = draw_count_the_work
