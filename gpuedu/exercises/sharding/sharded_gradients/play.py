"""sharded-gradients: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.sharding.chains import ChainTask
from gpuedu.exercises.sharding.sharded_gradients.gradient_runs import train_in_pieces
from gpuedu.exercises.sharding.updates import Rule
from gpuedu.multi.exchanges import wire_bytes_in_full


def play_sharded_gradients(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """States by rank and step; moments by rank, a row of numbers for each; bytes of a step."""
    (reduce_layer,) = answers
    task = ChainTask.of(inputs["task"])
    run = train_in_pieces(reduce_layer, task, Rule(**inputs["rule"]), seed=inputs["seed"])
    return {
        "states": [states for states, _ in run.results],
        "moments": np.array([[astuple(one) for one in moments] for _, moments in run.results]),
        "step_bytes": wire_bytes_in_full(run.exchanges) / task.steps,
    }


PLAY = Play(
    (Answer("reduce_layer", signature=("weights", "piece")),),
    play_sharded_gradients,
    time_limit_s=30.0,
)
