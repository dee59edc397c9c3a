"""What collectives cost by formula, and what the rate of an all-reduce is compared with.

Sources: P. Patarasuk and X. Yuan, *Bandwidth optimal all-reduce algorithms for clusters of
workstations*, J. Parallel and Distributed Computing 69, 2009 (the ring); R. Thakur, R. Rabenseifner
and W. Gropp, *Optimization of Collective Communication Operations in MPICH*, IJHPCA 19, 2005 (the
trees); nccl-tests, doc/PERFORMANCE.md (algorithm and bus bandwidth). The times of a ring, an
all-to-all and a torus are for sizes that divide evenly.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.multi.network.links import Link


def ring_all_reduce_s(ranks: int, size_bytes: float, link: Link) -> float:
    """2 (ranks - 1) (alpha + beta * size / ranks); exact where ``ranks`` divides the bytes.

    >>> ring_all_reduce_s(4, 4e6, Link("made up", 10e-6, 1e9))
    0.00606
    """
    return 2 * (ranks - 1) * link.time_s(size_bytes / ranks)


def ring_reduce_scatter_s(ranks: int, size_bytes: float, link: Link) -> float:
    """Half of an all-reduce; an all-gather is the other half, and takes as long."""
    return ring_all_reduce_s(ranks, size_bytes, link) / 2


def all_to_all_s(ranks: int, size_bytes: float, link: Link) -> float:
    """(ranks - 1) (alpha + beta * size / ranks): one block to each other rank, one by one.

    >>> all_to_all_s(4, 4e6, Link("made up", 10e-6, 1e9))
    0.00303
    """
    return (ranks - 1) * link.time_s(size_bytes / ranks)


def tree_all_reduce_s(ranks: int, size_bytes: float, link: Link) -> float:
    """2 ceil(log2 ranks) (alpha + beta * size): a reduce up a binomial tree, a broadcast down."""
    return 2 * (ranks - 1).bit_length() * link.time_s(size_bytes)


def crossover_bytes(ranks: int, link: Link) -> float:
    """The size above which a ring is faster than a tree: 0 for 2 or 3 ranks, infinite for 1.

    >>> round(crossover_bytes(8, Link("made up", 10e-6, 1e9)))
    18824
    """
    depth = (ranks - 1).bit_length()
    steps_more, share_less = (ranks - 1) - depth, depth - (ranks - 1) / ranks
    if share_less <= 0:
        return float("inf")
    return steps_more * link.latency_s * link.bytes_per_s / share_less


def hierarchical_reduce_scatter_s(
    nodes: int, per_node: int, size_bytes: float, within: Link, across: Link
) -> float:
    """A ring within nodes, then one of a chunk across; an all-gather takes as long."""
    inside = ring_reduce_scatter_s(per_node, size_bytes, within)
    return inside + ring_reduce_scatter_s(nodes, size_bytes / per_node, across)


def hierarchical_all_reduce_s(
    nodes: int, per_node: int, size_bytes: float, within: Link, across: Link
) -> float:
    """Reduce-scatter and all-gather within nodes, rings of a chunk across; each GPU has a card."""
    return 2 * hierarchical_reduce_scatter_s(nodes, per_node, size_bytes, within, across)


def hierarchical_all_to_all_s(
    nodes: int, per_node: int, size_bytes: float, within: Link, across: Link
) -> float:
    """One within nodes, then one between the GPUs of each place, both over all bytes.

    >>> within, across = Link("within", 1e-6, 4e9), Link("across", 10e-6, 1e9)
    >>> hierarchical_all_to_all_s(2, 4, 8e6, within, across)
    0.005513
    """
    inside = all_to_all_s(per_node, size_bytes, within)
    return inside + all_to_all_s(nodes, size_bytes, across)


def torus_all_reduce_s(
    shape: Sequence[int], size_bytes: float, link: Link, streams: int = 1
) -> float:
    """Rings along each axis, over what the earlier axes have left; see ``torus_all_reduce``.

    Exact for one stream, and for more on a cube of 3 or more chips along each axis.
    """
    time_s, held = 0.0, size_bytes / streams
    for chips in shape:
        time_s += ring_all_reduce_s(chips, held, link)
        held /= chips
    return time_s


def torus_all_to_all_s(shape: Sequence[int], size_bytes: float, link: Link) -> float:
    """What the busiest link carries, and the longest path: size * longest axis / 8 bytes.

    Exact up to the latency if all is sent at once and 4 divides the longest axis: a block travels a
    quarter of it on average, and shares two links. It is the bisection bound.

    >>> torus_all_to_all_s((4, 8), 1e6, Link("made up", 0.0, 1e9))
    0.001
    """
    hops = sum(chips // 2 for chips in shape)
    return hops * link.latency_s + size_bytes * max(shape) / 8 / link.bytes_per_s


def algorithm_bandwidth(size_bytes: float, time_s: float) -> float:
    """Bytes of each rank's tensor a second: what the user of the all-reduce sees."""
    return size_bytes / time_s


def bus_bandwidth(
    ranks: int, size_bytes: float, time_s: float, collective: str = "all_reduce"
) -> float:
    """The same times (ranks - 1) / ranks, and for an all-reduce times 2.

    That is what a ring of any length gets out of its links. An all-to-all counts like an
    all-gather.

    >>> link = Link("made up", 0.0, 1e9)
    >>> [round(bus_bandwidth(n, 1e6, ring_all_reduce_s(n, 1e6, link))) for n in (2, 8, 64)]
    [1000000000, 1000000000, 1000000000]
    """
    share = (ranks - 1) / ranks * (2 if collective == "all_reduce" else 1)
    return algorithm_bandwidth(size_bytes, time_s) * share
