"""A cost model of networks: links, topologies, schedules of messages, and how long they take.

``simulate(schedule, topology)`` sends any schedule, even the learner's own, over up to thousands of
ranks: a ``Cluster`` of nodes, a ``LeafSpine`` network behind it, or a ``Torus``. Closed forms give
the same times for the usual collectives; tests compare the two. ``overlap`` says how much of a
training step's communication is hidden, ``slowest_s`` what waiting for the slowest rank costs.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gpuedu.multi.network.cluster import Cluster
from gpuedu.multi.network.fabric import LeafSpine
from gpuedu.multi.network.links import LINKS, Link, link
from gpuedu.multi.network.schedules import (
    all_to_all,
    at_once,
    chunk_bytes,
    ring_all_gather,
    ring_all_reduce,
    ring_reduce_scatter,
    tree_all_reduce,
    tree_broadcast,
    tree_reduce,
    uneven_all_to_all,
)
from gpuedu.multi.network.simulation import Traffic, simulate
from gpuedu.multi.network.topology import Topology
from gpuedu.multi.network.torus import Torus

_HOME = {
    "algorithm_bandwidth": "closed_forms",
    "all_to_all_s": "closed_forms",
    "bus_bandwidth": "closed_forms",
    "crossover_bytes": "closed_forms",
    "hierarchical_all_reduce_s": "closed_forms",
    "hierarchical_all_to_all_s": "closed_forms",
    "hierarchical_reduce_scatter_s": "closed_forms",
    "ring_all_reduce_s": "closed_forms",
    "ring_reduce_scatter_s": "closed_forms",
    "torus_all_reduce_s": "closed_forms",
    "torus_all_to_all_s": "closed_forms",
    "tree_all_reduce_s": "closed_forms",
    "fit_link": "fit",
    "hierarchical_all_gather": "hierarchical",
    "hierarchical_all_reduce": "hierarchical",
    "hierarchical_all_to_all": "hierarchical",
    "hierarchical_reduce_scatter": "hierarchical",
    "Overlap": "overlapping",
    "overlap": "overlapping",
    "draw_slowest": "stragglers",
    "slowest_s": "stragglers",
    "torus_all_reduce": "torus_rings",
}
"""What is loaded when it is asked for: formulas that exercises ask for are no part of a player."""

__all__ = [
    "LINKS",
    "Cluster",
    "LeafSpine",
    "Link",
    "Overlap",
    "Topology",
    "Torus",
    "Traffic",
    "algorithm_bandwidth",
    "all_to_all",
    "all_to_all_s",
    "at_once",
    "bus_bandwidth",
    "chunk_bytes",
    "crossover_bytes",
    "draw_slowest",
    "fit_link",
    "hierarchical_all_gather",
    "hierarchical_all_reduce",
    "hierarchical_all_reduce_s",
    "hierarchical_all_to_all",
    "hierarchical_all_to_all_s",
    "hierarchical_reduce_scatter",
    "hierarchical_reduce_scatter_s",
    "link",
    "overlap",
    "ring_all_gather",
    "ring_all_reduce",
    "ring_all_reduce_s",
    "ring_reduce_scatter",
    "ring_reduce_scatter_s",
    "simulate",
    "slowest_s",
    "torus_all_reduce",
    "torus_all_reduce_s",
    "torus_all_to_all_s",
    "tree_all_reduce",
    "tree_all_reduce_s",
    "tree_broadcast",
    "tree_reduce",
    "uneven_all_to_all",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
