"""same-accuracy: its picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuedu.figures.caption import Caption
from gpuedu.figures.training import (
    LossCurve,
    plot_losses,
)

_EVERY = 10


def draw_losses(begin: Callable[..., Any], train_step: Callable[..., Any]) -> Any:
    """The learner's losses on the hard task beside those of runs in float32 and in fp16."""
    from gpuedu.exercises.training.quiet import quiet_torch
    from gpuedu.experiments.same_accuracy import FLOAT32, PURE

    with quiet_torch():
        curves = [
            _reference("float32", FLOAT32),
            _own_curve(begin, train_step),
            _reference("fp16 alone", PURE),
        ]
    ends = ", ".join(f"{curve.name} {curve.losses[-1]:.3f}" for curve in curves)
    ax = plot_losses(
        curves,
        caption=Caption(
            "Three ways to train on the hard task",
            f"Losses by step. At the end: {ends}.",
            "Trained here, all three from the same weights, with the same batches. "
            f"Loss: on all training images, every {_EVERY} steps.",
            x="step",
            y="loss on the training images (nat)",
        ),
    )
    drawn = [loss for curve in curves for _, loss in curve.drawn(ax.get_ylim()[1])]
    ax.set_ylim(bottom=max(0.0, min(drawn) - _BELOW))
    ax.set_xticks(range(0, int(curves[0].steps[-1]) + 1, 2 * _EVERY))
    return ax


_BELOW = 0.1


_SEED = 0


def _reference(name: str, recipe: Any) -> LossCurve:
    """A run in one of the ways of the experiment."""
    from gpuedu.experiments.hard_digits import HARD, judge_weights
    from gpuedu.experiments.same_accuracy import train

    found = {}

    def look(step: int, weights: Sequence[Any]) -> None:
        if step % _EVERY == 0:
            found[step] = judge_weights(HARD, weights)[0]

    train(HARD, _SEED, recipe, look)
    return LossCurve(name, tuple(found), tuple(found.values()))


def _own_curve(begin: Callable[..., Any], train_step: Callable[..., Any]) -> LossCurve:
    from gpuedu.exercises.mixed_precision.same_accuracy.half_runs import run_half
    from gpuedu.experiments.hard_digits import HARD, judge_weights, start_weights

    found = {0: judge_weights(HARD, start_weights(HARD, _SEED))[0]}

    def look(step: int, weights: Sequence[Any]) -> None:
        if step % _EVERY == 0:
            found[step] = judge_weights(HARD, weights)[0]

    run_half(begin, train_step, HARD, _SEED, look)
    return LossCurve("yours", tuple(found), tuple(found.values()))


PICTURE = draw_losses
