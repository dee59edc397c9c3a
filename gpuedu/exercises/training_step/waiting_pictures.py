"""Pictures of what keeps the host waiting: the learner's loops beside a simulated device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lane_groups

_STEPS, _FIRST, _SHOWN = 20, 11, 2
_SOURCE = (
    "Simulated: every operation takes 5 µs on the host and 6 µs on the device, "
    "and a value 10 µs more."
)


def draw_waits(*loops: Callable[..., Any]) -> Any:
    """Two steps of each loop: what the host issues and waits for, and when the device is idle."""
    from gpuedu.exercises.training_step.issuing import DEVICE, HOST, issue
    from gpuedu.exercises.training_step.waiting import begin

    if not loops:
        raise AnswerError("the picture is drawn of a loop", remedy="`train_waiting`, or both loops")
    inputs = _run()
    groups, told = [], []
    for loop in loops:
        with quiet_torch():
            run = issue(loop, *begin(inputs), first=_FIRST, steps=_SHOWN)
        name = getattr(loop, "__name__", "your loop")
        waits = "1 wait" if run.waits == 1 else f"{run.waits} waits"
        says = f"{name}: {waits} in {_STEPS} steps; the device computes {run.busy:.0%}"
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


def list_waits(loop: Callable[..., Any]) -> str:
    """Where a loop waits: how often in all, what for, and the line."""
    from gpuedu.exercises.training_step.waiting import begin
    from gpuedu.training.synchronisations import SynchronisationCounter

    with quiet_torch():
        model, optimiser, batches = begin(_run())
        with SynchronisationCounter(stand_in=True) as counter:
            loop(model, optimiser, batches)
    seen = Counter((one.line, one.kind, one.text) for one in counter.synchronisations)
    rows = [f"{times:5}  {kind:14}  {text}" for (_, kind, text), times in sorted(seen.items())]
    head = f"times  {'what for':14}  line"
    return "\n".join([head, *rows, f"{len(counter):5}  in {_STEPS} steps"])


def _run() -> dict[str, Any]:
    """A run of some steps, as in the check, with a sample that nobody labelled in each batch."""
    rng = np.random.default_rng(8)
    targets = rng.integers(0, 4, (_STEPS, 8))
    targets[:, 0] = -1
    return {
        "data": rng.normal(size=(_STEPS, 8, 12)),
        "targets": targets,
        "weights": [rng.normal(size=(16, 12)) / 3, rng.normal(size=(4, 16)) / 3],
        "optimiser": "SGD",
        "options": {"lr": 0.1},
    }


WAITING_PICTURES: dict[str, Callable[..., Any]] = {
    "hidden-syncs": draw_waits,
    "training-step/waits": list_waits,
}
