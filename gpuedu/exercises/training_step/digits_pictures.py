"""Pictures of over-fitting: of the runs that were computed once, and of the learner's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.digits_play import counted_steps, judge_model, require_model
from gpuedu.experiments import read_results
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses

_OWN_TASK, _POINTS = 5, 40


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
        "Learning wrong labels by heart, and dropout against it",
        f"Losses over {values['steps'][-1]} steps, medians of 20 runs; at the end {ends}.",
        f"{found.source} 20 runs each: median and middle half.",
        x="step",
        y="loss (nat)",
    )
    return plot_losses(curves, caption=caption)


def draw_own_training(train_model: Any) -> Any:
    """Losses of the learner's training on both splits, on one set of digits."""
    import torch

    from gpuedu.experiments.reference_digits import draw_task

    train, held_out = draw_task(_OWN_TASK)
    kept: list[tuple[int, dict[int, Any]]] = []

    def look(optimiser: Any, step: int) -> None:
        weights = [one for group in optimiser.param_groups for one in group["params"]]
        kept.append((step, {id(one): one.detach().clone() for one in weights}))

    with quiet_torch(), counted_steps(look):
        model = train_model(train.inputs.clone(), train.targets.clone())
        require_model(model)
        shown = kept[:: max(1, len(kept) // _POINTS)]
        own = {id(one) for one in model.parameters()}
        if not shown or not own & set(shown[-1][1]):
            raise AnswerError(
                "no step of an optimiser moved the weights of the model that you returned",
                remedy="The picture follows these weights from step to step.",
            )
        rows = []
        for step, weights in shown:
            with torch.no_grad():
                for one in model.parameters():
                    one.copy_(weights.get(id(one), one))
            rows.append((step, *(judge_model(model, split) for split in (train, held_out))))
    return _plot_own(rows)


def _plot_own(rows: list[tuple[int, Any, Any]]) -> Any:
    steps = [step for step, _, _ in rows]
    curves = [
        LossCurve("training", steps, [one.loss for _, one, _ in rows]),
        LossCurve("held-out", steps, [one.loss for _, _, one in rows]),
    ]
    accuracy = rows[-1][2].accuracy
    caption = Caption(
        f"Your run: in the end {accuracy:.1%} of the held-out digits are right",
        f"Losses of your run on training and held-out digits; accuracy at the end {accuracy:.1%}.",
        "Computed by your function, dropout off, on one set of digits; the check takes others.",
        x="step",
        y="loss (nat)",
    )
    return plot_losses(curves, caption=caption)


DIGITS_PICTURES: dict[str, Callable[..., Any]] = {
    "training-step/overfitting": draw_overfitting,
    "train-digits": draw_own_training,
}
