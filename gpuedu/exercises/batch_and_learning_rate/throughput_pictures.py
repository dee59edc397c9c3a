"""Pictures of throughput: the learner's model and knees, measured curves, recorded ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.step_costs import (
    SHARE,
    Run,
    median_rates,
    shown_runs,
)
from gpuedu.exercises.kernels.recorded import draw_recorded
from gpuedu.exercises.kernels.recorded_panels import Lines
from gpuedu.exercises.plain import whole_number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, Mark, plot_curves

_MOST_TICKS = 11


_MODELS = {"mlp": "MLP", "resnet": "ResNet", "gpt": "GPT"}


def draw_measured(measured_knee: Any) -> Any:
    """Made-up measurements, each run a dot, with the learner's knee."""
    runs = shown_runs()
    return _draw_runs(
        runs,
        whole_number(measured_knee(list(runs), SHARE), "the batch"),
        "Measured curves have dips, falls and outliers",
        "Made-up runs of the model's first step, with scatter; dots: single runs, line: medians.",
    )


def draw_own(own: Mapping[str, Any]) -> Any:
    """What ``measure`` found on this machine; a sentence where there is nothing."""
    if not own:
        return "Nothing measured yet: run the cell above."
    return _draw_runs(
        own["runs"],
        own["knee"],
        f"{own['model']} on {own['device']}",
        f"Measured now, on {own['device']}; dots: single steps, line: their medians.",
    )


def _draw_runs(runs: Sequence[Run], knee: int, title: str, source: str) -> Any:
    rates = median_rates(runs)
    dots = sorted((batch, batch / time_s) for batch, time_s in runs)
    x, y = zip(*dots, strict=True)
    curves = [
        Curve("", x, y, style.SKY, dots=True),
        Curve("", tuple(rates), tuple(rates.values()), style.BLUE),
    ]
    is_right = knee**2 > min(rates) * max(rates)  # of the middle of a logarithmic axis
    offset, name = (-8, 16) if is_right else (8, -22), f"your knee: {knee:,}"
    if knee == max(rates):
        offset, name = (-4, -90), f"{knee:,} is the last:\nyour knee may lie beyond"
    marks = [Mark(name, knee, rates[knee], offset)] if knee in rates else []
    best = max(rates.values())
    within = Level(f"{SHARE:.0%} of the best", SHARE * best, style.QUIET, at_left=True)
    caption = Caption(
        title=title,
        x="batch",
        y="samples/s",
        source=source,
        alt=f"{len(runs)} runs of {len(rates)} batches. Medians: "
        + ", ".join(f"{rate:,.0f} at {batch:,}" for batch, rate in rates.items())
        + f". Your knee: {knee:,}.",
    )
    ax = plot_curves(curves, [within], marks, caption=caption, format_x="{:,.0f}".format)
    doublings = [batch for batch in rates if batch & (batch - 1) == 0]
    if len(doublings) > _MOST_TICKS:
        doublings = [batch for batch in doublings if batch.bit_length() % 2]
    ax.set_xticks(doublings)
    return ax


def draw_recorded_throughput() -> Any:
    """Samples per second by batch on GPUs; a sentence where none was recorded."""
    wanted = [
        Lines(
            "training-step",
            f"{name}, float32",
            f"steps of the {name}",
            {"": {"model": model, "precision": "fp32"}},
            field="batch",
            x="batch",
            y="samples/s",
            unit="samples/s",
            value=lambda row: row["batch"] / row["median"],
        )
        for model, name in _MODELS.items()
    ]
    return draw_recorded("Samples per second by batch", "training steps by batch", wanted)
