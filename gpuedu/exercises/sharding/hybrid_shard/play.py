"""hybrid-shard: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.sharding.hybrid_shard.hybrid_runs import (
    HybridTask,
    sent_by_rank,
    train_hybrid,
)


def play_hybrid_shard(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Pieces by rank and step; bytes that each rank sends in a step, inside its node and across."""
    task = HybridTask.of(inputs["task"])
    run = train_hybrid(answers, task, inputs["seed"])
    sent = [astuple(one) for one in sent_by_rank(run, task)]
    return {"pieces": np.array(run.results), "sent": np.array(sent)}


PLAY = Play(
    (
        Answer("make_groups", signature=("per_node",), is_opaque=True),
        Answer("gather_weights", signature=("piece", "groups")),
        Answer("reduce_gradient", signature=("gradient", "groups")),
    ),
    play_hybrid_shard,
    time_limit_s=30.0,
)
