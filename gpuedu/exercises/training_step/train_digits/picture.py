"""train-digits: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.train_digits.play import (
    counted_steps,
    judge_model,
    require_model,
)
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses

_OWN_TASK, _POINTS = 5, 40


def draw_own_training(train_model: Any) -> Any:
    """Losses of the learner's training on both splits, on one set of digits."""
    import torch

    from gpuedu.experiments.noisy_digits import draw_task

    train, held_out = draw_task(_OWN_TASK)
    kept: list[tuple[int, dict[int, Any]]] = []

    def look(optimizer: Any, step: int) -> None:
        weights = [one for group in optimizer.param_groups for one in group["params"]]
        kept.append((step, {id(one): one.detach().clone() for one in weights}))

    with quiet_torch(), counted_steps(look):
        model = train_model(train.inputs.clone(), train.targets.clone())
        require_model(model)
        shown = kept[:: max(1, len(kept) // _POINTS)]
        own = {id(one) for one in model.parameters()}
        if not shown or not own & set(shown[-1][1]):
            raise AnswerError(
                "no step of an optimizer moved the weights of the model that you returned",
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


PICTURE = draw_own_training
