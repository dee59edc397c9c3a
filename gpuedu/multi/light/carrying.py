"""The messages of a collective: who sends what to whom, and how long that takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gpuedu.multi import network
from gpuedu.multi.network import Topology

Schedule = Callable[[int, int, int], Any]
SCHEDULES: dict[str, Schedule] = {
    "all_reduce": lambda ranks, size, root: network.ring_all_reduce(ranks, size),
    "reduce": network.tree_reduce,
    "broadcast": network.tree_broadcast,
    "reduce_scatter": lambda ranks, size, root: network.ring_reduce_scatter(ranks, size),
    "all_gather": lambda ranks, size, root: network.ring_all_gather(ranks, size),
    "gather": lambda ranks, size, root: [
        [(rank, root, size // ranks) for rank in range(ranks) if rank != root]
    ],
    "scatter": lambda ranks, size, root: [
        [(root, rank, size // ranks) for rank in range(ranks) if rank != root]
    ],
    "all_to_all": lambda ranks, size, root: network.all_to_all(ranks, size),
    "barrier": lambda ranks, size, root: network.tree_all_reduce(ranks, size),
}
"""Who sends what in a collective over ``size`` bytes in total; ``root`` is a place."""


@dataclass(frozen=True)
class Carried:
    """What a collective carries.

    Attributes:
        kind: a key of ``SCHEDULES``.
        whole_bytes: the size that the schedule is for.
        root: the place of the root in the group.
        parts: for an all-to-all in uneven parts, what each member sends to each; otherwise empty.
    """

    kind: str
    whole_bytes: int
    root: int = 0
    parts: tuple[tuple[int, ...], ...] = ()


@lru_cache(maxsize=10_000)
def time_of(carried: Carried, cluster: Topology, members: tuple[int, ...]) -> float:
    """How long it takes among these ranks, in seconds."""
    return network.simulate(_rounds(carried, members), cluster).time_s


@lru_cache(maxsize=10_000)
def wire_bytes(
    carried: Carried, cluster: Topology, members: tuple[int, ...]
) -> dict[int, tuple[int, int]]:
    """What each rank sends in it, and how much of that leaves its node."""
    sent: Counter[int] = Counter()
    across: Counter[int] = Counter()
    for messages in _rounds(carried, members):
        for src, dst, size in messages.tolist():
            sent[src] += size
            across[src] += size * int(cluster.node_of(src) != cluster.node_of(dst))
    return {rank: (size, across[rank]) for rank, size in sent.items()}


@lru_cache(maxsize=10_000)
def links_of(carried: Carried, cluster: Topology, members: tuple[int, ...]) -> tuple[int, ...]:
    """The links that its bytes pass through, each once."""
    tables = [np.zeros((0, 3), np.int64), *_rounds(carried, members)]
    table = np.concatenate(tables)
    src, dst = np.unique(table[table[:, 2] > 0, :2], axis=0).T
    if not len(src):
        return ()
    routes, _ = cluster.routes(src, dst)
    return tuple(np.unique(routes[routes >= 0]).tolist())


def _rounds(carried: Carried, members: tuple[int, ...]) -> list[np.ndarray]:
    """The messages, by round; their ranks are those of the world."""
    if len(members) == 1:
        return []
    names, rounds = np.array(members), []
    if carried.parts:
        schedule = network.uneven_all_to_all(carried.parts)
    else:
        make = SCHEDULES[carried.kind]
        schedule = make(len(members), carried.whole_bytes, carried.root)
    for messages in schedule:
        table = np.asarray(messages)
        rounds.append(np.column_stack([names[table[:, 0]], names[table[:, 1]], table[:, 2]]))
    return rounds
