"""sgd-or-adam: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.sgd_or_adam.rules_pictures import AVERAGES, STEPS, _train
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses


def draw_rules(sgd: Any, adam: Any, adamw: Any) -> Any:
    """Losses on digits, half of whose pixels are 30 times as faint, of four rules."""
    rules = (
        ("SGD, lr 0.3", lambda *of: sgd(*of, 0.3, 0.0)),
        ("SGD, momentum", lambda *of: sgd(*of, 0.3, 0.9)),
        ("Adam, lr 0.01", lambda *of: adam(*of, 0.01, *AVERAGES)),
        ("AdamW, decay", lambda *of: adamw(*of, 0.01, *AVERAGES, 0.1)),
    )
    curves = []
    for name, rule in rules:
        with quiet_torch():
            rows = list(_train(rule))
        curves.append(LossCurve(name, [step for step, _ in rows], [loss for _, loss in rows]))
    ends = ", ".join(f"{curve.name}: {curve.losses[-1]:.3g}" for curve in curves)
    caption = Caption(
        "Your rules on digits with faint pixels",
        f"Training losses of four update rules over {STEPS} steps; at the end {ends}.",
        "Computed by your functions: an MLP on digits, half of the pixels 30 times as faint.",
        x="step",
        y="loss on 512 training samples (nat)",
    )
    return plot_losses(curves, caption=caption)


PICTURE = draw_rules
