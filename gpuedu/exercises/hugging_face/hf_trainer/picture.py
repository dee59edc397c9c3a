"""hf-trainer: its pictures, of a run's log, of schedules, and of a loop beside Trainer."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.hugging_face.hf_trainer.play import run_loop
from gpuedu.exercises.hugging_face.hf_trainer.resolved import resolved
from gpuedu.exercises.hugging_face.reader import Reader, batches_of
from gpuedu.exercises.hugging_face.real_trainer import quiet_transformers, train_by_trainer
from gpuedu.exercises.plain import entries
from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.end_labels import EndLabel, write_end_labels

_LENGTHS = ((5, 5, 4, 1), (1, 2, 1, 1), (5, 3, 5, 5), (2, 5, 5, 1), (5, 5, 5, 5)) * 2
_OPTIONS = {
    "num_train_epochs": 2,
    "gradient_accumulation_steps": 4,
    "learning_rate": 0.05,
    "warmup_steps": 2,
    "weight_decay": 0.1,
}
_ROUNDING = 1e-6
_WANTED: Mapping[str, Any] = {
    "batch": 64,
    "devices": 2,
    "fits": 8,
    "capability": 9.0,
    "updates": 60,
    "rate": 3e-4,
    "clip": 1.0,
    "decay": 0.1,
    "seed": 1,
    "log_every": 5,
    "evaluate_every": 20,
    "save_every": None,
    "keep": 2,
}
_SHAPES = (("linear", 0), ("cosine", 10), ("constant", 10))


def draw_log(history: Sequence[Mapping[str, Any]]) -> Any:
    """Loss, learning rate and gradient's norm of a run, from Trainer's own log."""
    rows = [one for one in history if isinstance(one, Mapping) and "learning_rate" in one]
    if not rows:
        raise AnswerError(
            "this log has no learning rates", remedy="Pass `trainer.state.log_history`."
        )
    steps = [one["step"] for one in rows]
    left, right = style.new_axes(3.0, columns=2)
    rates, norms = [one["learning_rate"] for one in rows], [one["grad_norm"] for one in rows]
    _line(left, steps, [1e5 * rate for rate in rates], style.BLUE)
    style.name_axes(left, title="Learning rate", x="update", y="learning rate (1e-5)")
    _line(right, steps, norms, style.ORANGE)
    right.axhline(1.0, color=style.RED, linewidth=1.3, dashes=(5, 3))
    over = sum(norm > 1 for norm in norms)
    right.set_ylim(0, 1.15 * max(1.0, *norms))
    right.annotate(
        "clipped above 1",
        (steps[-1], 1.0),
        xytext=(0, 6),
        textcoords="offset points",
        ha="right",
        color=style.RED,
        fontsize=10,
    )
    style.name_axes(right, title="Norm of the gradient", x="update", y="norm, before clipping")
    style.note_source(left, "From Trainer's own log of this run, with the defaults of its options.")
    return style.describe(
        left,
        f"Two lines over {len(rows)} updates. The learning rate goes from {rates[0]:.3g} to "
        f"{rates[-1]:.3g}. The gradient's norm is above the limit of 1 in {over} updates.",
    )


def _line(ax: Any, x: Sequence[float], y: Sequence[float], color: str) -> None:
    ax.plot(x, y, color=color, linewidth=1.8)
    ax.set_ylim(0, 1.1 * max(y))


def draw_schedules(options: Callable[..., Any]) -> Any:
    """Learning rates of three wishes, as Trainer makes them of the learner's options."""
    ax = style.new_axes(3.2)
    labels, told = [], []
    for place, (shape, warmup) in enumerate(_SHAPES):
        wanted = {**_WANTED, "shape": shape, "warmup": warmup}
        given = entries(options(dict(wanted)), "the result of `options`")
        with quiet_transformers():
            rates = [1e4 * rate for rate in resolved(given, wanted["updates"])["rates"]]
        if not rates:
            raise AnswerError("these options don't say after how many updates the run ends")
        steps = list(range(1, len(rates) + 1))
        color, dashes = style.CYCLE[place], ("-", "--", "-.")[place]
        ax.plot(steps, rates, color=color, linewidth=2, linestyle=dashes)
        text = f"{shape}, warm-up of {warmup}"
        labels.append(EndLabel(steps[-1], rates[-1], text, color))
        told.append(f"{text}: {rates[0]:.3g}, {max(rates):.3g} at most, {rates[-1]:.3g} at the end")
    ax.set_xlim(0, 84)
    ax.set_xticks(range(0, 61, 10))
    ax.set_ylim(-0.35, 3.4)
    ax.grid(visible=False)
    write_end_labels(ax, labels)
    caption = Caption(
        title="The learning rates that Trainer makes of your options",
        x="update",
        y="learning rate (1e-4)",
        source="By TrainingArguments and Trainer's own schedules: 60 updates, at most 3e-4.",
        alt=f"Three lines over 60 updates, in units of 1e-4. {'; '.join(told)}.",
    )
    return write_caption(ax, caption)


def draw_beside(own_loop: Callable[..., Any]) -> Any:
    """Losses by Trainer and by the learner's loop, and how far the weights are apart."""
    batches = batches_of(_LENGTHS, 7)
    true = train_by_trainer(Reader(7), batches, _OPTIONS)
    inputs = {"seed": 7, "loud": 1.0, "more": False, "lengths": _LENGTHS, "options": _OPTIONS}
    with quiet_transformers():
        mine = run_loop(own_loop, inputs)
    left, right = style.new_axes(3.0, columns=2)
    updates = range(1, len(true.losses) + 1)
    left.plot(updates, true.losses, color=style.FAINT, linewidth=7)
    count = len(mine["losses"])
    left.plot(range(1, count + 1), mine["losses"], "o--", color=style.BLUE, linewidth=1.5)
    highest = max([*true.losses, *(x for x in mine["losses"] if math.isfinite(x))])
    left.set_ylim(0, 1.25 * highest)
    left.annotate(
        "wide line: Trainer's; dots: yours", (0.03, 0.06), xycoords="axes fraction", color=style.INK
    )
    style.name_axes(left, title="Loss of each update", x="update", y="loss")
    apart = _apart(true.weights, mine["weights"])
    _dots(right, apart)
    style.name_axes(
        right, title="Difference of the weights", x="after update", y="largest difference"
    )
    style.note_source(
        left,
        "Trainer ran here, on 10 batches with padding in groups of 4, twice, with a warm-up of 2 "
        "and weight decay.",
    )
    worst = max(apart, default=math.nan)
    says = "no more than rounding" if worst < _ROUNDING else f"{worst:.2g} at most"
    return style.describe(
        left,
        f"Losses of {len(true.losses)} updates by Trainer, from {true.losses[0]:.3g} to "
        f"{true.losses[-1]:.3g}, and of {count} by the own loop. The weights are {says} apart.",
    )


def _apart(wanted: Sequence[Sequence[float]], mine: np.ndarray) -> list[float]:
    count = min(len(wanted), len(mine))
    return [float(np.abs(np.array(wanted[at]) - mine[at]).max()) for at in range(count)]


def _dots(ax: Any, apart: Sequence[float]) -> None:
    """A dot for each update on a logarithmic axis, with the level of rounding."""
    shown = [max(off, 1e-17) if math.isfinite(off) else 1.0 for off in apart]
    colors = [style.GREEN if off < _ROUNDING else style.RED for off in shown]
    ax.set_yscale("log")
    ax.set_ylim(1e-18, 10)
    ax.scatter(range(1, len(shown) + 1), shown, color=colors, s=26, zorder=3)
    powers = (-17, -12, -8, -4, 0)
    names = [f"{'≤ ' * (n == powers[0])}$10^{{{n}}}$" for n in powers]
    ax.set_yticks([10.0**n for n in powers], names)
    ax.axhline(_ROUNDING, color=style.QUIET, linewidth=1.2, dashes=(5, 3))
    ax.annotate(
        "below: rounding",
        (0.98, _ROUNDING),
        xycoords=("axes fraction", "data"),
        xytext=(0, -12),
        textcoords="offset points",
        ha="right",
        color=style.QUIET,
    )


PICTURE = draw_beside
