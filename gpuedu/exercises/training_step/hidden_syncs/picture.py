"""hidden-syncs: its picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.hidden_syncs.waiting_pictures import (
    FIRST,
    SHOWN,
    STEPS,
    _run,
)
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lane_groups

_SOURCE = (
    "Simulated: every operation takes 5 µs on the host and 6 µs on the device, "
    "and a value 10 µs more."
)


def draw_waits(*loops: Callable[..., Any]) -> Any:
    """Two steps of each loop: what the host issues and waits for, and when the device is idle."""
    from gpuedu.exercises.training_step.hidden_syncs.issuing import DEVICE, HOST, issue
    from gpuedu.exercises.training_step.hidden_syncs.waiting import begin

    if not loops:
        raise AnswerError("the picture is drawn of a loop", remedy="`train_waiting`, or both loops")
    inputs = _run()
    groups, told = [], []
    for loop in loops:
        with quiet_torch():
            run = issue(loop, *begin(inputs), first=FIRST, steps=SHOWN)
        name = getattr(loop, "__name__", "your loop")
        waits = "1 wait" if run.waits == 1 else f"{run.waits} waits"
        says = f"{name}: {waits} in {STEPS} steps; the device computes {run.busy:.0%}"
        groups.append((f"{says} of this time" if run.steps else f"{name}: takes no steps", run))
        told.append(groups[-1][0])
    caption = Caption(
        "Two steps, as the device takes them",
        f"Timelines of host and device, simulated. {'. '.join(told)}.",
        _SOURCE,
        x="simulated time",
    )
    lanes = (HOST, DEVICE)
    return plot_lane_groups(
        [(name, run.timeline) for name, run in groups], caption=caption, lanes=lanes
    )


PICTURE = draw_waits
