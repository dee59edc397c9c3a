"""save-and-resume: its picture."""

from __future__ import annotations

import copy
import warnings
from typing import Any

from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses

_KIND, _BEFORE, _AFTER = "Adam, cosine, batch norm", 14, 22


def draw_resumed(save: Any, resume: Any) -> Any:
    """Losses of the unbroken run, and of the one that the learner saved and resumed."""
    from gpuedu.exercises.training_step.save_and_resume.runs import make_run, take_steps

    with quiet_torch(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        unbroken = make_run(_KIND, 1)
        first = [row[0] for row in take_steps(unbroken, _BEFORE)]
        state = copy.deepcopy(save(unbroken))
        wanted = [row[0] for row in take_steps(unbroken, _AFTER)]
        resumed = make_run(_KIND, 2)
        resume(resumed, state)
        got = [row[0] for row in take_steps(resumed, _AFTER)]
    steps = tuple(range(1, _BEFORE + _AFTER + 1))
    curves = [
        LossCurve("unbroken", steps, (*first, *wanted)),
        LossCurve("resumed", steps[_BEFORE:], tuple(got)),
    ]
    apart = next(
        (at for at, pair in enumerate(zip(wanted, got, strict=True)) if len({*pair}) > 1), -1
    )
    says = "the same, to the last bit" if apart < 0 else f"apart from step {_BEFORE + 1 + apart} on"
    caption = Caption(
        f"Saved after {_BEFORE} steps, and resumed: {says}",
        f"Losses of an unbroken run and of the resumed one: {says}.",
        "Computed by your functions, on a run of the lesson's kind.",
        x="step",
        y="loss (nat)",
    )
    return plot_losses(curves, caption=caption)


PICTURE = draw_resumed
