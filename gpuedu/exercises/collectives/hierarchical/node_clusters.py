"""Clusters of nodes for a hierarchical all-reduce."""

from __future__ import annotations

from gpuedu.multi.network import Cluster, Link, link

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
