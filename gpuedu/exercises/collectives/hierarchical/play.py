"""hierarchical: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from gpuedu.exercises.collectives.hierarchical.node_clusters import cluster_of
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.ranks import run_ranks
from gpuedu.exercises.training.tensors import as_array


def play_hierarchical(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What each rank holds afterwards, and the simulated time on a cluster of nodes."""
    (hierarchical,) = answers
    values, per_node = inputs["values"], inputs["per_node"]
    ranks = len(values)

    def body(rank: int) -> np.ndarray:
        x = torch.tensor(values[rank])
        hierarchical(x, per_node)
        kept = x.detach().clone()
        x.fill_(float("nan"))
        return as_array(kept, values[rank].shape, f"`x` of rank {rank}")

    cluster = cluster_of(inputs["kind"], ranks, per_node)
    run = run_ranks(body, ranks, [hierarchical], cluster=cluster)
    return {"got": np.stack(run.results), **run.plain()}


PLAY = Play(
    (Answer("hierarchical", signature=("x", "per_node")),),
    play_hierarchical,
    time_limit_s=20.0,
    observes="messages between simulated ranks",
)
