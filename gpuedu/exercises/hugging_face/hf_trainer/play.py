"""hf-trainer: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.hugging_face.hf_trainer.resolved import resolved
from gpuedu.exercises.hugging_face.reader import Reader, batches_of, weights_of
from gpuedu.exercises.plain import entries
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.refusing import is_called_in, refusing
from gpuedu.exercises.training.tensors import as_number

_MOST_UPDATES = 200
_TRAINER = "`own_loop` lets Trainer train"
_REMEDY = "Write the loop that Trainer runs."


def play_hf_trainer(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What Trainer makes of ``options``; or what ``own_loop`` logs, and the weights at each log."""
    options, own_loop = answers
    if inputs["ask"] == "options":
        given = entries(options(dict(inputs["wanted"])), "the result of `options`")
        return resolved(given, inputs["wanted"]["updates"])
    with quiet_torch(), refusing(_is_trainers, _TRAINER, _REMEDY):
        return run_loop(own_loop, inputs)


def _is_trainers(*_: Any) -> bool:
    return is_called_in("transformers.trainer")


def run_loop(own_loop: Any, inputs: Inputs) -> dict[str, Any]:
    """Losses, rates and weights, (updates,) and (updates, P), of a loop on a model that is made."""
    model = Reader(inputs["seed"], inputs["loud"], inputs["more"])
    losses, rates, weights = [], [], []

    def log(loss: Any, rate: Any) -> None:
        if len(losses) < _MOST_UPDATES:
            losses.append(as_number(loss, "the loss that `log` gets"))
            rates.append(as_number(rate, "the learning rate that `log` gets"))
            weights.append(weights_of(model))

    own_loop(model, batches_of(inputs["lengths"], inputs["seed"]), dict(inputs["options"]), log)
    return {
        "losses": losses,
        "rates": rates,
        "weights": np.array(weights, np.float64).reshape(len(weights), len(weights_of(model))),
    }


PLAY = Play(
    (
        Answer("options", signature=("wanted",)),
        Answer("own_loop", signature=("model", "batches", "options", "log")),
    ),
    play_hf_trainer,
    time_limit_s=60.0,
    lends=True,
)
