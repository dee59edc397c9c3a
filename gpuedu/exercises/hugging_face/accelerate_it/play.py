"""accelerate-it: beside the learner's code."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.hugging_face.accelerate_it.runs import (
    RunTask,
    run_evaluation,
    run_training,
)
from gpuedu.exercises.training.tensors import as_number
from gpuedu.multi.exchanges import wire_bytes


def play_accelerate_it(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What ``evaluate`` gives on each rank; or, by rank, what a run did.

    That is rates (updates,), weights (updates, P), and ``ends``: the updates after each call.
    """
    train, evaluate = answers
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Accelerate, and of a scheduler that comes first
        if inputs["ask"] == "evaluate":
            run = run_evaluation(evaluate, inputs["ranks"], inputs["count"], inputs["seed"])
            name = "the result of `evaluate`"
            accuracy = [as_number(one, name) for one in run.results]
            return {"accuracy": accuracy, "sent_bytes": wire_bytes(run.exchanges)}
        run = run_training(train, RunTask.of(dict(inputs["task"])))
    return {
        "rates": [one.rates for one in run.results],
        "ends": [one.ends for one in run.results],
        "weights": [np.array(one.weights or np.zeros((0, 1))) for one in run.results],
        "sent_bytes": wire_bytes(run.exchanges),
    }


PLAY = Play(
    (
        Answer(
            "train",
            signature=(
                *("accelerator", "model", "optimizer", "scheduler", "loader", "epochs"),
                *("folder", "stop_after"),
            ),
        ),
        Answer("evaluate", signature=("accelerator", "model", "loader")),
    ),
    play_accelerate_it,
    time_limit_s=60.0,
    lends=True,
    draws=True,
)
