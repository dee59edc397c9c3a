"""fsdp: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.sharding.fsdp.fsdp_runs import FsdpTask, train_sharded_layers
from gpuedu.multi.exchanges import wire_bytes


def play_fsdp(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Pieces by rank and step; numbers in buffers, most and last; bytes and time of a step."""
    forward_pass, backward_pass = answers
    task = FsdpTask.of(inputs["task"])
    run = train_sharded_layers((forward_pass, backward_pass), task, inputs["seed"])
    return {
        "pieces": np.array([one.weights for one in run.results]),
        "peaks": [one.memory.peak for one in run.results],
        "left": [one.memory.live for one in run.results],
        "step_bytes": wire_bytes(run.exchanges) / task.steps,
        "step_s": run.time_s / task.steps,
    }


PLAY = Play(
    (
        Answer("forward_pass", signature=("pieces", "allocate", "free", "forward")),
        Answer("backward_pass", signature=("pieces", "weights", "allocate", "free", "backward")),
    ),
    play_fsdp,
    time_limit_s=30.0,
    lends=True,
)
