"""Attention over a sequence that light ranks share."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.exercises.tensor_parallel.ring_attention.block_memory import BlockMemory
from gpuedu.exercises.training.tensors import as_array
from gpuedu.multi.network import Cluster, Link

SIZE = 8
"""Bytes of a number: float64."""


@dataclass(frozen=True)
class RingTask:
    """One head's attention.

    Attributes:
        lengths: tokens of each rank, in the order of the sequence.
        width: D, numbers of a query, a key, a value.
        causal: whether a token looks at none that come after it.
        pair_s: how long the score of one query and one key takes.
        latency_s: of a message.
        bytes_per_s: of the network.
        spread: how large queries are; scores grow with it.
        seed: of all numbers.
    """

    lengths: tuple[int, ...]
    width: int
    causal: bool
    pair_s: float
    latency_s: float
    bytes_per_s: float
    spread: float = 1.0
    low: float = 0.0
    seed: int = 0

    @classmethod
    def of(cls, fields: dict[str, Any]) -> RingTask:
        """From what a case holds."""
        return cls(**(fields | {"lengths": tuple(fields["lengths"])}))

    @property
    def ranks(self) -> int:
        """How many."""
        return len(self.lengths)

    @property
    def link(self) -> Link:
        """Between any two ranks."""
        return Link("made up", self.latency_s, self.bytes_per_s)

    @property
    def block_bytes(self) -> list[int]:
        """Bytes of each rank's keys and values."""
        return [2 * SIZE * self.width * tokens for tokens in self.lengths]

    def sequence(self) -> tuple[np.ndarray, np.ndarray]:
        """Queries (tokens, D), and keys and values (2, tokens, D), of all tokens."""
        rng, tokens = np.random.default_rng(self.seed), sum(self.lengths)
        queries = self.spread * rng.normal(0, 1, (tokens, self.width))
        kv = rng.normal(0, 1, (2, tokens, self.width))
        if self.low:  # all scores are about so far below 0
            queries[:, 0], kv[0, :, 0] = self.low * self.width**0.5, -1.0
        return queries, kv

    def split(self, of_tokens: np.ndarray) -> list[np.ndarray]:
        """What each rank has of an array whose last axis but one is tokens."""
        ends = list(itertools.accumulate(self.lengths))[:-1]
        return np.split(of_tokens, ends, axis=-2)


@dataclass(frozen=True)
class RankRun:
    """What a rank has done.

    Attributes:
        outputs: of its tokens, (tokens, D).
        memory: its buffers.
        is_kept: whether its queries, keys and values are as they were.
        scored: for how many queries it called ``scores``, with the block of each rank.
    """

    outputs: np.ndarray
    memory: BlockMemory
    is_kept: bool
    scored: list[int]


def attend_in_ring(answer: Callable[..., Any], task: RingTask, seed: int | None = None) -> Ranked:
    """Run the learner's function on light ranks; ``results`` are ``RankRun``s.

    Args:
        answer: ``ring_attention(q, kv, lengths, causal, scores, allocate, free)``.
        task: what is computed, where.
        seed: of the order of ranks that could go on at the same instant.
    """
    queries, blocks = (task.split(one) for one in task.sequence())
    owners = {float(one[0, 0, 0]): rank for rank, one in enumerate(blocks)}

    def body(rank: int) -> RankRun:
        q, kv = torch.tensor(queries[rank]), torch.tensor(blocks[rank])
        memory = BlockMemory(kv, task.pair_s, max(task.lengths), owners)
        lent = memory.scores, memory.allocate, memory.free
        found = answer(q, kv, list(task.lengths), task.causal, *lent)
        outputs = as_array(found, queries[rank].shape, "what `ring_attention` returned")
        pairs = (q, queries[rank]), (kv, blocks[rank])
        is_kept = all(np.array_equal(one, was) for one, was in pairs)
        return RankRun(outputs, memory, is_kept, [memory.scored[one] for one in range(task.ranks)])

    cluster = Cluster(task.ranks, task.link)
    return run_ranks(body, task.ranks, [answer], cluster=cluster, seed=seed)
