"""A cost model of networks: links, clusters, schedules of messages, and how long they take.

``simulate(schedule, cluster)`` sends any schedule, the learner's own too, over a cluster of up to
thousands of ranks. Closed forms say the same of the usual collectives; tests hold one against the
other.
"""

from gpuedu.multi.network.closed_forms import (
    algorithm_bandwidth,
    bus_bandwidth,
    crossover_bytes,
    hierarchical_all_reduce_s,
    ring_all_reduce_s,
    tree_all_reduce_s,
)
from gpuedu.multi.network.cluster import Cluster
from gpuedu.multi.network.fit import fit_link
from gpuedu.multi.network.links import LINKS, Link, link
from gpuedu.multi.network.schedules import (
    chunk_bytes,
    hierarchical_all_reduce,
    ring_all_gather,
    ring_all_reduce,
    ring_reduce_scatter,
    tree_all_reduce,
    tree_broadcast,
    tree_reduce,
)
from gpuedu.multi.network.simulation import Traffic, simulate

__all__ = [
    "LINKS",
    "Cluster",
    "Link",
    "Traffic",
    "algorithm_bandwidth",
    "bus_bandwidth",
    "chunk_bytes",
    "crossover_bytes",
    "fit_link",
    "hierarchical_all_reduce",
    "hierarchical_all_reduce_s",
    "link",
    "ring_all_gather",
    "ring_all_reduce",
    "ring_all_reduce_s",
    "ring_reduce_scatter",
    "simulate",
    "tree_all_reduce",
    "tree_all_reduce_s",
    "tree_broadcast",
    "tree_reduce",
]
