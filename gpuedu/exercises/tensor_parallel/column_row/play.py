"""column-row: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.ranks.twice import play_twice
from gpuedu.exercises.tensor_parallel.column_row.training import train_pieces
from gpuedu.exercises.tensor_parallel.failures import with_failures
from gpuedu.exercises.tensor_parallel.mlp import Mlp
from gpuedu.multi.exchanges import wire_bytes


def play_column_row(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Outputs and gradients by rank and step, the sizes of each rank's pieces, a step's bytes."""
    mlp = Mlp(**inputs["mlp"])
    run = train_pieces(
        *answers, mlp, seed=inputs["seed"], is_forward_only=inputs["is_forward_only"]
    )
    return {
        "outputs": np.stack([one.outputs for one in run.results]),
        "gradients": np.stack([one.gradients for one in run.results]),
        "sizes": [one.sizes for one in run.results],
        "step_bytes": wire_bytes(run.exchanges) / mlp.steps,
    }


PLAY = Play(
    (
        Answer("split", signature=("w1", "w2")),
        Answer("mlp_forward", signature=("x", "a", "b", "bias")),
        Answer("mlp_backward", signature=("x", "a", "b", "dy")),
    ),
    with_failures(play_twice(play_column_row)),
    time_limit_s=30.0,
)
