"""sequence-parallel: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.ranks.twice import play_twice
from gpuedu.exercises.tensor_parallel.sequence_parallel.block import Block, train_ranks
from gpuedu.multi.exchanges import wire_bytes


def play_sequence_parallel(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Outputs and gradients by rank and step, and the bytes of a step."""
    block = Block(**inputs["block"])
    run = train_ranks(
        *answers, block, seed=inputs["seed"], is_forward_only=inputs["is_forward_only"]
    )
    return {
        "outputs": np.stack([one.outputs for one in run.results]),
        "gradients": np.stack([one.gradients for one in run.results]),
        "scales": np.stack([one.scales for one in run.results]),
        "step_bytes": wire_bytes(run.exchanges) / block.steps,
    }


PLAY = Play(
    (
        Answer("block_forward", signature=("x", "pieces", "mask")),
        Answer("block_backward", signature=("x", "u", "pieces", "mask", "dy")),
    ),
    play_twice(play_sequence_parallel),
    time_limit_s=30.0,
)
