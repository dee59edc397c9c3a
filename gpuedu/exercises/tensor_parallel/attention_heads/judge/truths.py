"""What attention-heads asks for, in one process."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def heads_on(rank: int, ranks: int, heads: int, kv_heads: int) -> list[list[int]]:
    """Query heads and key-value heads of a rank."""
    each = heads // ranks
    queries = [head for head in range(heads) if head // each == rank]
    return [queries, sorted({head * kv_heads // heads for head in queries})]


def summed_copies(
    held: Sequence[Sequence[int]], gradients: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """By rank, the sum over all copies of each of its heads."""
    totals: dict[int, np.ndarray] = {}
    for heads, rows in zip(held, gradients, strict=True):
        for head, row in zip(heads, rows, strict=True):
            totals[head] = totals.get(head, 0.0) + row
    return [np.stack([totals[head] for head in heads]) for heads in held]


def losses_of(
    scores: np.ndarray, targets: np.ndarray, vocabulary: int
) -> tuple[np.ndarray, np.ndarray]:
    """Cross-entropy of each row, and the gradient of their sum, 0 for padding."""
    known = scores[:, :vocabulary]
    shifted = known - known.max(axis=1, keepdims=True)
    logs = np.log(np.exp(shifted).sum(axis=1))
    rows = np.arange(len(targets))
    gradient = np.zeros_like(scores)
    gradient[:, :vocabulary] = np.exp(shifted - logs[:, None])
    gradient[rows, targets] -= 1
    return logs - shifted[rows, targets], gradient
