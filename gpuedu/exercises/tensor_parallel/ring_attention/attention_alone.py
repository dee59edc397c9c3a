"""Attention over the whole sequence in one process, and how fast a ring can be."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gpuedu.exercises.tensor_parallel.ring_attention.ring_runs import RingTask


def attend_whole(task: RingTask) -> np.ndarray:
    """The outputs of all tokens, (tokens, D)."""
    queries, (keys, values) = task.sequence()
    scores = queries @ keys.T / math.sqrt(task.width)
    if task.causal:
        scores[np.triu_indices(len(scores), 1)] = -math.inf
    shares = np.exp(scores - scores.max(1, keepdims=True))
    return shares @ values / shares.sum(1, keepdims=True)


def best_s(task: RingTask) -> float:
    """A ring in which every block but the first travels while another one is computed.

    For blocks of the same size.
    """
    compute_s = task.pair_s * task.lengths[0] ** 2
    message_s = task.link.time_s(task.block_bytes[0])
    return (task.ranks - 1) * max(compute_s, message_s) + compute_s


def first_unscored(task: RingTask, scored: Sequence[Sequence[int]]) -> tuple[int, int, int] | None:
    """The first block that a rank needs, and had not scored with all queries: rank, block, queries.

    What a rank computes without ``scores`` takes no simulated time.

    Args:
        task: what is computed.
        scored: for each rank, of how many queries it asked for the scores with each rank's block.
    """
    for rank, counts in enumerate(scored):
        for owner, queries in enumerate(counts[: rank + 1] if task.causal else counts):
            if queries < task.lengths[rank]:
                return rank, owner, queries
    return None
