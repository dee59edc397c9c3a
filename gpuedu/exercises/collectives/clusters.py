"""Where the ranks of a check are: joined by made-up links, on one machine or on two."""

from __future__ import annotations

from gpuedu.exercises.contract import Inputs
from gpuedu.multi.network import Cluster, Link

LINK = Link("1 GB/s after 1 µs", 1e-6, 1e9)
"""Bytes cost more than the message itself."""
SLOW_LINK = Link("0.05 GB/s after 5 µs", 5e-6, 5e7)


def cluster_of(inputs: Inputs) -> Cluster:
    """The ranks of a case; ``on_two`` puts the second half on a machine behind a slow link.

    Messages between the machines are on their way long after those within one: a rank that does not
    wait for its sends is done before they are.
    """
    ranks = inputs["ranks"]
    if not inputs["on_two"]:
        return Cluster(ranks, LINK)
    return Cluster(ranks, LINK, across=SLOW_LINK, per_node=(ranks + 1) // 2)
