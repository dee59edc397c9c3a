"""Pictures of the lesson cupy, most of them made from the learner's own code, right or wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuedu.clock import AsyncDevice, Event
from gpuedu.exercises.cupy.recorded import draw_recorded_cupy
from gpuedu.exercises.cupy.stay_on_device.play import watch_pipeline
from gpuedu.exercises.cupy.watching import Copy, Launch
from gpuedu.figures.caption import Caption
from gpuedu.figures.journey import Kind, Step, plot_journey
from gpuedu.figures.queues import plot_queues

PIPELINE = (6, 5, 3)


COUNTED = "Counted by the arrays that stand for the device, not timed."


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
        x="steps, in order",
        source=COUNTED,
        alt=f"The steps of the function in order: {told}.",
    )
    return plot_journey(steps, caption=caption)


def _step(one: Launch | Copy) -> Step:
    if isinstance(one, Launch):
        return Step(Kind.LAUNCH)
    if one.hidden:
        return Step(Kind.HIDDEN, one.to_device)
    return Step(Kind.TO_DEVICE if one.to_device else Kind.TO_HOST)


def draw_asynchrony() -> Any:
    """Four steps of a loop: with a value asked for in each, and with one at the end."""
    programs = [
        ("float(loss) in each step", _loop_events(wait_each=True)),
        ("float(loss) after the last step", _loop_events(wait_each=False)),
    ]
    ends = [1e3 * events[-1].end_s for _, events in programs]
    caption = Caption(
        title="Who asks for a value waits, and then the device waits for the host",
        x="simulated time (ms); a step: 1 ms to prepare on the host, a kernel of 1.5 ms",
        source="A simulated device with one queue. Not a measurement.",
        alt=f"Two timelines of host and device, four steps each. With a wait in each step host and "
        f"device take turns, {ends[0]:.1f} ms; with one wait at the end the kernels follow each "
        f"other, {ends[1]:.1f} ms.",
    )
    return plot_queues(programs, caption=caption)


def _loop_events(*, wait_each: bool) -> Sequence[Event]:
    device = AsyncDevice([1.5e-3], launch_s=1e-3)
    for _ in range(4):
        device.launch()
        if wait_each:
            device.sync()
    if not wait_each:
        device.sync()
    return device.events


PICTURES = {
    "cupy/detours": draw_journey,
    "cupy/asynchrony": draw_asynchrony,
    "cupy/recorded": draw_recorded_cupy,
}
