"""Pictures of throughput: the learner's model and knees, measured curves, recorded ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.step_costs import (
    IN_ONE_GO,
    LARGE_WEIGHTS,
    SHARE,
    SHOWN,
    Run,
    median_rates,
    shown_runs,
)
from gpuedu.exercises.compare import show
from gpuedu.exercises.kernels.recorded import draw_recorded
from gpuedu.exercises.kernels.recorded_panels import Lines
from gpuedu.exercises.plain import number, whole_number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, Mark, plot_curves

_BATCHES = tuple(sorted({round(2 ** (eighths / 8)) for eighths in range(13 * 8 + 1)}))
"""So near to each other that a bend is one."""
_DEVICES = {
    "400 launches": (SHOWN, style.BLUE, (6, -13)),
    "20 launches": (IN_ONE_GO, style.GREEN, (0, 15)),
    "400 launches,\n6 ms of fixed work": (LARGE_WEIGHTS, style.RED, (-2, -15)),
}
_MOST_PER_S = 1e12
_MOST_TICKS = 11
_MODELS = {"mlp": "MLP", "resnet": "ResNet", "gpt": "GPT"}


def draw_throughput(samples_per_s: Any, knee: Any) -> Any:
    """The learner's rates by batch for three steps, with the learner's knee on each."""
    curves, marks, told = [], [], []
    for name, (cost, colour, offset) in _DEVICES.items():
        rates = tuple(_rate(samples_per_s, batch, cost) for batch in _BATCHES)
        curves.append(Curve(name, _BATCHES, rates, colour))
        at = _knee(knee, cost)
        if 0 < at <= _BATCHES[-1]:
            marks.append(Mark(f"{at:,}", at, _rate(samples_per_s, at, cost), offset))
        told.append(f"{name.replace(chr(10), ' ')}: knee at {show(at)}")
    caption = Caption(
        title=f"Samples per second by batch; rings: your knee at {SHARE:.0%}",
        x="batch",
        y="samples/s",
        source="Your `samples_per_s` and `knee`: 5 µs a launch, 11 µs a sample, 0.1 ms of fixed "
        "work if nothing else is said.",
        alt="Rates over the batch, both logarithmic: they rise in proportion and level off at "
        f"{SHOWN.best_per_s:,.0f} samples/s. {'; '.join(told)}.",
    )
    best = Level("", SHOWN.best_per_s, style.QUIET)
    return plot_curves(curves, [best], marks, caption=caption, height_in=3.8)


def _rate(samples_per_s: Any, batch: int, cost: Sequence[float]) -> float:
    try:
        rate = float(number(samples_per_s(batch, *cost)))
    except AnswerError:
        return float("nan")
    return rate if rate < _MOST_PER_S else float("nan")


def _knee(knee: Any, cost: Sequence[float]) -> int:
    try:
        return whole_number(knee(SHARE, *cost))
    except AnswerError:
        return 0


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
        + ", ".join(f"{rate:,.0f} at {batch}" for batch, rate in rates.items())
        + f". Your knee: {show(knee)}.",
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


THROUGHPUT_PICTURES = {
    "throughput-knee": draw_throughput,
    "batch-and-learning-rate/measured-throughput": draw_measured,
    "batch-and-learning-rate/own-throughput": draw_own,
    "batch-and-learning-rate/recorded-throughput": draw_recorded_throughput,
}
