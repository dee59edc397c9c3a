"""What others have measured on real systems, and what the model says about them.

The figures are in ``published.toml``, each system with its source. A link achieves less than its
peak. If that share is fitted, it is fitted to one figure, and the others are predictions.

NCCL's rings leave a node through all of its cards at once, which the model treats as one card with
the rate of all. An all-to-all leaves through the card of each GPU, and NCCL starts all of its
messages at once.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

import numpy as np

from gpuedu.multi.network.closed_forms import bus_bandwidth, torus_all_reduce_s
from gpuedu.multi.network.cluster import Cluster
from gpuedu.multi.network.links import Link, link
from gpuedu.multi.network.schedules import (
    all_to_all,
    at_once,
    ring_all_gather,
    ring_all_reduce,
    ring_reduce_scatter,
)
from gpuedu.multi.network.simulation import simulate
from gpuedu.multi.network.torus import Torus
from gpuedu.units import GB, MIB

_SCHEDULES = {
    "all_reduce": ring_all_reduce,
    "all_gather": ring_all_gather,
    "reduce_scatter": ring_reduce_scatter,
    "all_to_all": lambda ranks, size_bytes: at_once(all_to_all(ranks, size_bytes)),
}


@dataclass(frozen=True)
class Figure:
    """A rate that somebody published.

    Attributes:
        system: the system's name, for people.
        source: where it was published.
        within: the link in a node, or between neighbors of a torus, at its achieved rate.
        across: the network card, at its achieved rate; None for a torus or a single node.
        cards: how many a node has.
        collective: such as "all_to_all"; or "bisection", what one half of a torus can send to the
            other.
        shape: nodes, and GPUs in each; or chips along each axis.
        size_bytes: of the whole tensor.
        bytes_per_s: the bus bandwidth.
        is_fitted: whether a share of a link is fitted to it.
        reason: why the model misses it by more than 25%; "" if it does not.
    """

    system: str
    source: str
    within: Link
    across: Link | None
    cards: int
    collective: str
    shape: tuple[int, ...]
    size_bytes: int
    bytes_per_s: float
    is_fitted: bool
    reason: str


@cache
def load_figures() -> tuple[Figure, ...]:
    """All of them, by system.

    >>> figure = load_figures()[0]
    >>> figure.system, figure.collective, round(figure.bytes_per_s / 1e9, 1)
    ('8 A100, NVLink 3', 'all_reduce', 234.9)
    """
    text = resources.files("gpuedu.multi.network").joinpath("published.toml").read_text("utf-8")
    found = []
    for system in tomllib.loads(text).values():
        within = _achieved(link(system["within"]), system.get("within_share", 1.0))
        across = None
        if "across" in system:
            across = _achieved(link(system["across"]), system.get("across_share", 1.0))
        common = system["name"], system["source"], within, across, system.get("cards", 8)
        for row in system["figures"]:
            where = row["collective"], tuple(row["shape"]), row["mib"] * MIB, row["rate"] * GB
            found.append(Figure(*common, *where, row.get("fitted", False), row.get("reason", "")))
    return tuple(found)


def predict(figure: Figure) -> float:
    """What the model predicts for a published rate, in bytes a second.

    >>> round(predict(load_figures()[0]) / 1e9)
    235
    """
    if figure.collective == "bisection":
        return _bisection(Torus(figure.shape, figure.within), figure.size_bytes)
    ranks = int(np.prod(figure.shape))
    if len(figure.shape) == 1:  # an all-gather in a ring, both ways round: half of an all-reduce
        time_s = torus_all_reduce_s(figure.shape, figure.size_bytes, figure.within, streams=2) / 2
    else:
        schedule = _SCHEDULES[figure.collective](ranks, figure.size_bytes)
        time_s = simulate(schedule, _cluster(figure)).time_s
    return bus_bandwidth(ranks, figure.size_bytes, time_s, figure.collective)


def _cluster(figure: Figure) -> Cluster:
    nodes, per_node = figure.shape
    if figure.across is None or figure.collective == "all_to_all":
        return Cluster(nodes * per_node, figure.within, figure.across, per_node)
    all_cards = _achieved(figure.across, figure.cards)
    return Cluster(nodes * per_node, figure.within, all_cards, per_node, shared_card=True)


def _bisection(torus: Torus, size_bytes: int) -> float:
    """The rate from half of the first axis to the other, where chips send to the one opposite."""
    chips = np.arange(torus.ranks)
    opposite = np.roll(chips.reshape(torus.shape), torus.shape[0] // 2, 0).ravel()
    messages = np.column_stack([chips, opposite, np.full(len(chips), size_bytes)])
    return size_bytes * len(chips) / 2 / simulate([messages], torus).time_s


def _achieved(own: Link, share: float) -> Link:
    return replace(own, bytes_per_s=share * own.bytes_per_s)
