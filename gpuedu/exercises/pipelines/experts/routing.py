"""What a mixture-of-experts layer should give, and send: in one process with all experts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import torch
from torch import Tensor

from gpuedu.exercises.pipelines.experts.layer import Moe, Routed

SIZE = 8
"""Bytes of a number: float64, and int64."""


def routed(logits: Tensor, capacity: int) -> Routed:
    """Token by token: the likeliest expert, if it has room for one more."""
    chances = torch.softmax(logits, 1)
    taken: Counter[int] = Counter()
    rows = []
    for row in chances:
        expert = int(row.argmax())
        taken[expert] += 1
        rows.append((expert, float(row[expert]), taken[expert] <= capacity))
    experts, gates, kept = zip(*rows, strict=True) if rows else ((), (), ())
    return Routed(np.array(experts, np.int64), np.array(gates, float), np.array(kept, np.int64))


def outputs(moe: Moe) -> list[np.ndarray]:
    """What one process with all experts gives for each rank's tokens."""
    w1, w2 = moe.weights()
    found = []
    for rank in range(moe.ranks):
        x, logits = moe.inputs(rank)
        way = routed(logits, moe.capacity)
        y = x.clone()
        for at in np.flatnonzero(way.kept):
            expert = way.expert[at]
            y[at] += way.gate[at] * (torch.relu(x[at] @ w1[expert]) @ w2[expert])
        found.append(y.numpy())
    return found


def loss_of(moe: Moe) -> float:
    """The load-balance loss of all ranks' tokens, without its factor alpha."""
    chances = torch.cat([torch.softmax(moe.inputs(rank)[1], 1) for rank in range(moe.ranks)])
    dispatched = torch.bincount(chances.argmax(1), minlength=moe.experts).double() / len(chances)
    return float(moe.experts * (dispatched * chances.mean(0)).sum())


def numbers_bytes(moe: Moe) -> int:
    """Of a rank, if it sends a number for each expert to each other rank."""
    return SIZE * moe.experts * (moe.ranks - 1)


def needed_bytes(moe: Moe) -> list[int]:
    """By rank: kept tokens of experts elsewhere, results for others, and numbers of tokens."""
    found = [numbers_bytes(moe)] * moe.ranks
    for rank in range(moe.ranks):
        way = routed(moe.inputs(rank)[1], moe.capacity)
        for owner in (way.expert // moe.each)[way.kept > 0].tolist():
            if owner != rank:
                found[rank] += SIZE * moe.width
                found[owner] += SIZE * moe.width
    return found
