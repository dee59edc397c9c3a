"""What a hierarchical all-reduce takes at best on the clusters of the play."""

from __future__ import annotations

from gpuedu.exercises.collectives.hierarchical.node_clusters import ACROSS, WITHIN
from gpuedu.multi.network import hierarchical_all_reduce_s


def best_s(ranks: int, per_node: int, size_bytes: int) -> float:
    """The closed form of three rings on the cluster "real"."""
    return hierarchical_all_reduce_s(ranks // per_node, per_node, size_bytes, WITHIN, ACROSS)


def least_card_bytes(ranks: int, per_node: int, size_bytes: int) -> float:
    """What each GPU's card sends at best: its share of a ring over the nodes.

    >>> least_card_bytes(16, 8, 800)
    100.0
    """
    nodes = ranks // per_node
    return 2 * (nodes - 1) / nodes * size_bytes / per_node
