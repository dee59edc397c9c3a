"""Pictures of over-fitting: of the runs that were computed once, and of the learner's own."""

from __future__ import annotations

from typing import Any

from gpuedu.experiments import read_results
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses


def draw_overfitting() -> Any:
    """Losses on training and on held-out digits, plain and with dropout: medians and quartiles."""
    found = read_results("reference-digits")
    values = found.values
    curves = [
        LossCurve(
            f"{name}, {split.replace('_', '-')}",
            values["steps"],
            values[name][split]["median"],
            low=values[name][split]["low"],
            high=values[name][split]["high"],
        )
        for name in ("plain", "dropout")
        for split in ("train", "held_out")
    ]
    ends = ", ".join(f"{curve.name} {curve.losses[-1]:.2f}" for curve in curves)
    caption = Caption(
        "Memorizing wrong labels, with dropout and without",
        f"Losses over {values['steps'][-1]} steps, medians of 20 runs; at the end {ends}.",
        f"{found.source} 20 runs each: median and middle half.",
        x="step",
        y="loss (nat)",
    )
    return plot_losses(curves, caption=caption)
