"""Schedules in two levels: inside the nodes, and between the GPUs of one place in all nodes.

Ranks are in the order of their nodes, ``per_node`` in each; all schedules are for ``size_bytes`` on
each rank (in total, for an all-gather).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gpuedu.multi.network.schedules import (
    all_to_all,
    chunk_bytes,
    ring_all_gather,
    ring_reduce_scatter,
)
from gpuedu.multi.network.simulation import Round

Schedule = Callable[[int, int], Iterator[Round]]


def hierarchical_reduce_scatter(nodes: int, per_node: int, size_bytes: int) -> Iterator[Round]:
    """A ring inside each node; then one for each place, over the chunk that its GPUs hold."""
    yield from _inside(nodes, per_node, ring_reduce_scatter, size_bytes)
    yield from _across(nodes, per_node, ring_reduce_scatter, _held_bytes(per_node, size_bytes))


def hierarchical_all_gather(nodes: int, per_node: int, size_bytes: int) -> Iterator[Round]:
    """The reverse: a ring for each place, and then one inside each node."""
    yield from _across(nodes, per_node, ring_all_gather, _held_bytes(per_node, size_bytes))
    yield from _inside(nodes, per_node, ring_all_gather, size_bytes)


def hierarchical_all_reduce(nodes: int, per_node: int, size_bytes: int) -> Iterator[Round]:
    """Inside a node, then across, then inside: three rings, each over its own ranks.

    Reduce-scatter in each node; the GPUs of one place in all nodes all-reduce the chunk that they
    hold, all places at the same time; all-gather in each node. Only 1 / per_node of the bytes of a
    GPU leave its node.
    """
    yield from hierarchical_reduce_scatter(nodes, per_node, size_bytes)
    yield from hierarchical_all_gather(nodes, per_node, size_bytes)


def hierarchical_all_to_all(nodes: int, per_node: int, size_bytes: int) -> Iterator[Round]:
    """Two steps, so that fewer and larger messages cross: inside the nodes, then across.

    First each GPU sends what is meant for place j of *any* node to the GPU at place j of its own
    node; then GPUs of the same place exchange. A message across carries the blocks of all
    ``per_node`` GPUs of a node; in all, nearly twice the bytes are sent.

    Source: S. Rajbhandari et al., *DeepSpeed-MoE*, arXiv:2201.05596, section 5.3.
    """
    yield from _inside(nodes, per_node, all_to_all, size_bytes)
    yield from _across(nodes, per_node, all_to_all, np.full(per_node, size_bytes))


def _held_bytes(per_node: int, size_bytes: int) -> np.ndarray:
    """What the GPU at each place holds after a reduce-scatter in its node: chunk i + 1 at i."""
    return np.roll(chunk_bytes(size_bytes, per_node), -1)


def _inside(nodes: int, per_node: int, make: Schedule, size_bytes: int) -> Iterator[Round]:
    members = np.arange(nodes * per_node).reshape(nodes, per_node)
    return _together(members, [make(per_node, size_bytes) for _ in range(nodes)])


def _across(nodes: int, per_node: int, make: Schedule, sizes_bytes: np.ndarray) -> Iterator[Round]:
    members = np.arange(nodes * per_node).reshape(nodes, per_node).T
    return _together(members, [make(nodes, int(size)) for size in sizes_bytes])


def _together(
    groups: Sequence[np.ndarray], schedules: Sequence[Iterator[Round]]
) -> Iterator[Round]:
    """Equally long schedules of several groups at once, each numbered within its group."""
    for rounds in zip(*schedules, strict=True):
        yield np.concatenate(
            [
                np.column_stack([group[messages[:, :2]], messages[:, 2]])
                for group, messages in zip(groups, rounds, strict=True)
            ]
        )
