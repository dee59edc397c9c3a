"""Schedules of collectives, as rounds of messages: rings, trees, and an all-to-all.

A schedule says who sends how many bytes to whom; it holds no data. All of them are for
``size_bytes`` on each of ``ranks`` ranks. If the ranks do not divide the bytes, the first chunks
have one more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from gpuedu.multi.network.simulation import Round


def chunk_bytes(size_bytes: int, ranks: int) -> np.ndarray:
    """The bytes of each chunk, the larger ones first.

    >>> chunk_bytes(10, 4).tolist()
    [3, 3, 2, 2]
    """
    return np.full(ranks, size_bytes // ranks) + (np.arange(ranks) < size_bytes % ranks)


def ring_reduce_scatter(ranks: int, size_bytes: int) -> Iterator[Round]:
    """``ranks - 1`` rounds: each rank sends a chunk to the next, which adds its own to it.

    In round r, rank i sends chunk i - r; at the end it has the sum of chunk i + 1.
    """
    yield from _ring(ranks, size_bytes, first=0)


def ring_all_gather(ranks: int, size_bytes: int) -> Iterator[Round]:
    """``ranks - 1`` rounds: each rank passes on the chunk that it last got, from chunk i + 1 on."""
    yield from _ring(ranks, size_bytes, first=1)


def ring_all_reduce(ranks: int, size_bytes: int) -> Iterator[Round]:
    """Reduce-scatter, then all-gather: 2 (ranks - 1) rounds, 2 (ranks - 1) * size bytes in all.

    >>> sum(int(messages[:, 2].sum()) for messages in ring_all_reduce(4, 1000))
    6000
    """
    yield from ring_reduce_scatter(ranks, size_bytes)
    yield from ring_all_gather(ranks, size_bytes)


def _ring(ranks: int, size_bytes: int, first: int) -> Iterator[Round]:
    chunks, rank = chunk_bytes(size_bytes, ranks), np.arange(ranks)
    for step in range(ranks - 1):
        yield np.stack([rank, (rank + 1) % ranks, chunks[(rank + first - step) % ranks]], axis=1)


def tree_broadcast(ranks: int, size_bytes: int, root: int = 0) -> Iterator[Round]:
    """A binomial tree: in round r the 2**r ranks that have it send it to 2**r that do not.

    >>> [messages[:, :2].tolist() for messages in tree_broadcast(4, 8)]
    [[[0, 1]], [[0, 2], [1, 3]]]
    """
    have = 1
    while have < ranks:
        sender = np.arange(min(have, ranks - have))
        pairs = np.stack([sender, sender + have], axis=1)
        sizes = np.full((len(sender), 1), size_bytes)
        yield np.concatenate([(pairs + root) % ranks, sizes], axis=1)
        have *= 2


def tree_reduce(ranks: int, size_bytes: int, root: int = 0) -> Iterator[Round]:
    """The broadcast in reverse: sums go up the tree, and end at the root."""
    for messages in reversed(list(tree_broadcast(ranks, size_bytes, root))):
        yield messages[:, [1, 0, 2]]


def tree_all_reduce(ranks: int, size_bytes: int) -> Iterator[Round]:
    """Reduce to rank 0, then broadcast: 2 * ceil(log2 ranks) rounds, each with all of the bytes."""
    yield from tree_reduce(ranks, size_bytes)
    yield from tree_broadcast(ranks, size_bytes)


def all_to_all(ranks: int, size_bytes: int) -> Iterator[Round]:
    """``ranks - 1`` rounds: in round r each rank sends its block for rank i + r to that rank.

    >>> [messages[0].tolist() for messages in all_to_all(3, 6)]
    [[0, 1, 2], [0, 2, 2]]
    """
    blocks, rank = chunk_bytes(size_bytes, ranks), np.arange(ranks)
    for step in range(1, ranks):
        other = (rank + step) % ranks
        yield np.stack([rank, other, blocks[other]], axis=1)


def uneven_all_to_all(sizes_bytes: Sequence[Sequence[int]]) -> Iterator[Round]:
    """The same rounds with what rank i has for rank j at [i][j]; 0 bytes are not sent.

    >>> [messages.tolist() for messages in uneven_all_to_all([[9, 2, 0], [0, 9, 0], [5, 0, 9]])]
    [[[0, 1, 2], [2, 0, 5]]]
    """
    sizes = np.asarray(sizes_bytes, np.int64)
    rank = np.arange(len(sizes))
    for step in range(1, len(sizes)):
        other = (rank + step) % len(sizes)
        messages = np.stack([rank, other, sizes[rank, other]], axis=1)
        if messages[:, 2].any():
            yield messages[messages[:, 2] > 0]


def at_once(schedule: Iterable[Round]) -> Iterator[Round]:
    """All messages of a schedule in one round: no rank waits for what it got before.

    >>> [len(messages) for messages in at_once(all_to_all(4, 8))]
    [12]
    """
    rounds = list(schedule)
    if rounds:
        yield np.concatenate(rounds)
