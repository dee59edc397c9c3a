"""ring-attention: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.tensor_parallel.ring_attention.ring_runs import RingTask, attend_in_ring


def play_ring_attention(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Of each rank what ``RankRun`` has; and ``Ranked.traffic``."""
    (ring_attention,) = answers
    run = attend_in_ring(ring_attention, RingTask.of(inputs["task"]), inputs["seed"])
    return {
        "outputs": [one.outputs for one in run.results],
        "peaks": [one.memory.most_at_once for one in run.results],
        "left": [len(one.memory) for one in run.results],
        "kept": [one.is_kept for one in run.results],
        "scored": np.array([one.scored for one in run.results]),
        **run.traffic(),
    }


PLAY = Play(
    (
        Answer(
            "ring_attention",
            signature=("q", "kv", "lengths", "causal", "scores", "allocate", "free"),
        ),
    ),
    play_ring_attention,
    time_limit_s=30.0,
    lends=True,
)
