"""Schedules of collectives, as rounds of messages: ring, tree, and a ring of rings.

A schedule says who sends how many bytes to whom; it holds no data. All of them are for
``size_bytes`` on each of ``ranks`` ranks. Where the ranks do not divide the bytes, the first chunks
have one more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    """``ranks - 1`` rounds: each rank hands on the chunk that it got last, from chunk i + 1 on."""
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
    """A binomial tree: in round r the 2**r ranks that have it send it to 2**r that have not.

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
    """The broadcast backwards: sums go up the tree, and end at the root."""
    for messages in reversed(list(tree_broadcast(ranks, size_bytes, root))):
        yield messages[:, [1, 0, 2]]


def tree_all_reduce(ranks: int, size_bytes: int) -> Iterator[Round]:
    """Reduce to rank 0, then broadcast: 2 * ceil(log2 ranks) rounds, each with all of the bytes."""
    yield from tree_reduce(ranks, size_bytes)
    yield from tree_broadcast(ranks, size_bytes)


def hierarchical_all_reduce(nodes: int, per_node: int, size_bytes: int) -> Iterator[Round]:
    """Inside a node, then across, then inside: three rings, each over its own ranks.

    Reduce-scatter in each node; the GPUs of one place in all nodes all-reduce the chunk that they
    hold, all places at the same time; all-gather in each node. Only 1 / per_node of the bytes of a
    GPU leave its node.
    """
    groups = [range(node * per_node, (node + 1) * per_node) for node in range(nodes)]
    places = [range(place, nodes * per_node, per_node) for place in range(per_node)]
    # After the reduce-scatter, the GPU at place i of its node holds chunk i + 1.
    chunks = np.roll(chunk_bytes(size_bytes, per_node), -1)
    yield from _together([(group, ring_reduce_scatter(per_node, size_bytes)) for group in groups])
    yield from _together(
        [
            (place, ring_all_reduce(nodes, int(chunk)))
            for place, chunk in zip(places, chunks, strict=True)
        ]
    )
    yield from _together([(group, ring_all_gather(per_node, size_bytes)) for group in groups])


def _together(groups: Sequence[tuple[Sequence[int], Iterator[Round]]]) -> Iterator[Round]:
    """Equally long schedules of several groups at once, each numbered within its group."""
    members = [np.asarray(group) for group, _ in groups]
    for rounds in zip(*(schedule for _, schedule in groups), strict=True):
        tables = []
        for group, messages in zip(members, rounds, strict=True):
            tables.append(np.column_stack([group[messages[:, 0]], group[messages[:, 1]]]))
            tables[-1] = np.column_stack([tables[-1], messages[:, 2]])
        yield np.concatenate(tables)
