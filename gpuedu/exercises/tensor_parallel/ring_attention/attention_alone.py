"""Attention over the whole sequence in one process, and how fast a ring can be."""

from __future__ import annotations

import math

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
