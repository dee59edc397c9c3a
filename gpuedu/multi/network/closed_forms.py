"""What collectives cost by formula, and what a rate of an all-reduce is held against.

Sources: P. Patarasuk and X. Yuan, *Bandwidth optimal all-reduce algorithms for clusters of
workstations*, J. Parallel and Distributed Computing 69, 2009 (the ring); R. Thakur, R. Rabenseifner
and W. Gropp, *Optimization of Collective Communication Operations in MPICH*, IJHPCA 19, 2005 (the
trees); nccl-tests, doc/PERFORMANCE.md (algorithm and bus bandwidth).
"""

from __future__ import annotations

from gpuedu.multi.network.links import Link


def ring_all_reduce_s(ranks: int, size_bytes: float, link: Link) -> float:
    """2 (ranks - 1) (alpha + beta * size / ranks); exact where ``ranks`` divides the bytes.

    >>> ring_all_reduce_s(4, 4e6, Link("made up", 10e-6, 1e9))
    0.00606
    """
    return 2 * (ranks - 1) * link.time_s(size_bytes / ranks)


def tree_all_reduce_s(ranks: int, size_bytes: float, link: Link) -> float:
    """2 ceil(log2 ranks) (alpha + beta * size): a reduce up a binomial tree, a broadcast down."""
    return 2 * (ranks - 1).bit_length() * link.time_s(size_bytes)


def crossover_bytes(ranks: int, link: Link) -> float:
    """The size from which on a ring is faster than a tree: 0 for 2 or 3 ranks, infinite for 1.

    >>> round(crossover_bytes(8, Link("made up", 10e-6, 1e9)))
    18824
    """
    depth = (ranks - 1).bit_length()
    steps_more, share_less = (ranks - 1) - depth, depth - (ranks - 1) / ranks
    if share_less <= 0:
        return float("inf")
    return steps_more * link.latency_s * link.bytes_per_s / share_less


def hierarchical_all_reduce_s(
    nodes: int, per_node: int, size_bytes: float, within: Link, across: Link
) -> float:
    """Reduce-scatter and all-gather within nodes, rings of a chunk across; each GPU has a card."""
    inside = 2 * (per_node - 1) * within.time_s(size_bytes / per_node)
    return inside + ring_all_reduce_s(nodes, size_bytes / per_node, across)


def algorithm_bandwidth(size_bytes: float, time_s: float) -> float:
    """Bytes of each rank's tensor a second: what the user of the all-reduce sees."""
    return size_bytes / time_s


def bus_bandwidth(ranks: int, size_bytes: float, time_s: float) -> float:
    """The same times 2 (ranks - 1) / ranks: what a ring of any length makes of its links.

    >>> link = Link("made up", 0.0, 1e9)
    >>> [round(bus_bandwidth(n, 1e6, ring_all_reduce_s(n, 1e6, link))) for n in (2, 8, 64)]
    [1000000000, 1000000000, 1000000000]
    """
    return algorithm_bandwidth(size_bytes, time_s) * 2 * (ranks - 1) / ranks
