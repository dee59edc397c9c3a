"""stay-on-device: its picture, which is that of any pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.arrays.watching import COUNTED, Copy, Launch
from gpuedu.exercises.cupy.stay_on_device.play import watch_pipeline
from gpuedu.figures.caption import Caption
from gpuedu.figures.journey import JourneyStep, Kind, plot_journey

PIPELINE = (6, 5, 3)


def draw_journey(pipeline: Callable[..., Any]) -> Any:
    """Launches and copies of a pipeline for a few rows, in order."""
    n, d, c = PIPELINE
    rng = np.random.default_rng(3)
    x, w = rng.normal(0, 1, (n, d)).astype(np.float32), rng.normal(0, 1, (d, c)).astype(np.float32)
    watched = watch_pipeline(pipeline, x, w)
    steps = [_step(one) for one in watched.steps]
    hidden = sum(copy.hidden for copy in watched.copies)
    copies, launches = len(watched.copies), len(watched.launches)
    told = f"{launches} launches, {copies} copies, {hidden} of them hidden"
    caption = Caption(
        title=f"{n} rows: {told}",
        x="steps of the program, in order",
        source=COUNTED,
        alt=f"The steps of the function in order: {told}.",
    )
    return plot_journey(steps, caption=caption)


def _step(one: Launch | Copy) -> JourneyStep:
    if isinstance(one, Launch):
        return JourneyStep(Kind.LAUNCH)
    if one.hidden:
        return JourneyStep(Kind.HIDDEN, one.to_device)
    return JourneyStep(Kind.TO_DEVICE if one.to_device else Kind.TO_HOST)


PICTURE = draw_journey
