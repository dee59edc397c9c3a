"""train-digits: beside the learner's code."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import describe
from gpuedu.exercises.training.quiet import quiet_torch

CLASSES = 10


def play_train_digits(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """For each task the accuracy on held-out and on training digits, and the optimizer's steps."""
    from gpuedu.experiments.noisy_digits import draw_task

    (train_model,) = answers
    accuracies, learned, steps, losses = [], [], [], []
    for seed in inputs["tasks"]:
        train, held_out = draw_task(seed)
        with quiet_torch(seed % 2**32), counted_steps() as seen:
            model = train_model(train.inputs.clone(), train.targets.clone())
            require_model(model)
            steps.append(len(seen))
            on_held_out = judge_model(model, held_out)
            accuracies.append(on_held_out.accuracy)
            losses.append(on_held_out.loss)
            # A model that returns what it was trained on has learned the wrong labels, too.
            learned.append(judge_model(model, train).accuracy)
    seen_all = {"accuracies": accuracies, "learned": learned, "steps": steps}
    return {**seen_all, "finite": all(math.isfinite(loss) for loss in losses)}


def judge_model(model: Any, split: Any) -> Any:
    """How good it is; what a model of other images raises is told with a likely cause."""
    import torch

    from gpuedu.training import evaluate

    try:
        _require_ten_scores(model, split.inputs[:2])
        return evaluate(model, split, torch.nn.functional.cross_entropy)
    except RuntimeError as fault:
        first = str(fault).splitlines()[0][:200]
        raise AnswerError(
            f"your model cannot take images of shape (N, 1, 8, 8): {first}",
            remedy="A linear layer wants (N, 64): `torch.nn.Flatten()` before it. What was done to "
            "the images in training must be part of the model.",
        ) from None


def _require_ten_scores(model: Any, images: Any) -> None:
    import torch

    with torch.no_grad():
        shape = tuple(getattr(model.eval()(images), "shape", ()))
    if len(shape) == 2 and shape[1] != CLASSES:
        raise AnswerError(
            f"your model gives {shape[1]} scores for each image, {CLASSES} are asked for",
            remedy="One for each of the digits 0 to 9.",
        )


def require_model(model: Any) -> None:
    """Refuse what is no model, with a likely cause."""
    import torch

    if not isinstance(model, torch.nn.Module):
        raise AnswerError(
            f"`train_model` should return the trained model, got {describe(model)}",
            remedy="A `torch.nn.Module`, which gives ten scores for each picture.",
        )


@contextmanager
def counted_steps(look: Any = None) -> Iterator[list[None]]:
    """An entry for each step that any of PyTorch's optimizers takes inside; ``look`` sees each."""
    from torch.optim.optimizer import register_optimizer_step_post_hook

    seen: list[None] = []

    def note(optimizer: Any, *_: Any) -> None:
        seen.append(None)
        if look is not None:
            look(optimizer, len(seen))

    hook = register_optimizer_step_post_hook(note)
    try:
        yield seen
    finally:
        hook.remove()


PLAY = Play(
    (Answer("train_model", signature=("images", "labels")),),
    play_train_digits,
    time_limit_s=60.0,
    observes="a model's accuracy, and the steps of optimizers",
)
