"""Clusters of nodes for a hierarchical all-reduce, and what it takes on them at best."""

from __future__ import annotations

from gpuedu.multi.network import Cluster, Link, hierarchical_all_reduce_s, link

WITHIN, ACROSS = link("nvlink4"), link("infiniband-ndr")
_FREE = Link("costs nothing", 0.0, 1e30)
CARD = Link("bytes alone", 0.0, 1e9)
"""With it, and ``_FREE`` inside of nodes, time tells the bytes that a card carried."""


def cluster_of(kind: str, ranks: int, per_node: int) -> Cluster:
    """Nodes of ``per_node`` GPUs, each GPU with a network card.

    Args:
        kind: "real": NVLink inside, InfiniBand across; "cards": only bytes across cost time.
        ranks: how many GPUs.
        per_node: GPUs in a node.
    """
    within, across = (_FREE, CARD) if kind == "cards" else (WITHIN, ACROSS)
    return Cluster(ranks, within, across, per_node)


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
