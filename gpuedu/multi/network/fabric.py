"""Networks of leaf and spine switches: fat trees, and fabrics with a leaf for each rail."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gpuedu.multi.network.cluster import Cluster
from gpuedu.multi.network.links import Link
from gpuedu.multi.network.topology import Topology


@dataclass(frozen=True)
class LeafSpine(Cluster):
    """A cluster whose network cards are plugged into leaf switches, and these into a spine.

    Messages between cards on the same leaf share nothing. Others pass leaf, spine and leaf: they
    take ``spine_latency_s`` longer, and share what their leaves have upward and downward.

    A fat tree has a leaf for the cards of ``nodes_per_leaf`` nodes. With ``rails`` each of those
    cards has its own leaf, by the place of its GPU in the node: GPUs of one place are near each
    other, those of different places are not. With ``proxies`` as well, a message to another place
    first moves inside its node to the GPU of that place, and leaves through its card, as in NCCL
    (PXN).

    Uplinks of a leaf are one link with the rate of all of them: routing is ideal. The leaves have
    all their cards, even if the last nodes are missing.

    Args:
        nodes_per_leaf: how many nodes are plugged into the same leaf, or leaves; all by default.
        oversubscription: k if a leaf has 1 / k as much upward as its cards have together.
        spine_latency_s: what two more switches take, there and down again; assumed by default.
        rails: whether each place in a node has its own leaf.
        proxies: whether messages between places change the place inside the node.

    Source: NVIDIA, *Doubling all2all performance with NCCL 2.12*, developer.nvidia.com, 2022 (rails
    and PXN).

    >>> from gpuedu.multi.network.links import link
    >>> rails = LeafSpine(16, link("nvlink4"), link("infiniband-ndr"), 8, rails=True)
    >>> [round(rails.between(0, dst).latency_s * 1e6, 1) for dst in (1, 8, 9)]
    [3.4, 9.6, 10.6]
    """

    nodes_per_leaf: int | None = None
    oversubscription: float = 1.0
    spine_latency_s: float = 1e-6
    rails: bool = False
    proxies: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.across is None or self.oversubscription <= 0 or self._nodes_per_leaf < 1:
            raise ValueError(f"leaves need `across`, and nodes and an uplink above 0, got {self}")
        if self.proxies and not self.rails:
            raise ValueError("proxies are for rails: without, every place is on the same leaf")
        if self.rails and (self.shared_card or self.ranks % self._places):
            raise ValueError("rails need full nodes, and a card for each GPU")

    def between(self, src: int, dst: int) -> Link:
        """A message's whole path as one link, switches included; ValueError as for any topology."""
        return Topology.between(self, src, dst)

    @property
    def _nodes_per_leaf(self) -> int:
        return self.nodes if self.nodes_per_leaf is None else self.nodes_per_leaf

    def leaf_of(self, rank: int | np.ndarray) -> int | np.ndarray:
        """The leaf switch that a rank's card is plugged into, or each rank's."""
        group = self.node_of(rank) // self._nodes_per_leaf
        if not self.rails:
            return group
        return group * self._places + rank % self._places

    @cached_property
    def rates(self) -> np.ndarray:
        """Those of the cluster; then each leaf's upward, and downward."""
        leaves = int(self.leaf_of(self.ranks - 1)) + 1
        cards = self._nodes_per_leaf
        if not self.rails and not self.shared_card:
            cards *= self._places
        rate = cards * self._cards.bytes_per_s / self.oversubscription
        return np.concatenate([self._port_rates(), np.full(2 * leaves, rate)])

    def routes(self, src: np.ndarray, dst: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ports and cards; between leaves the path up and down; with proxies, the one inside."""
        at, inside, more_s = src, [], 0.0
        is_across = self.node_of(src) != self.node_of(dst)
        if self.proxies:
            at = np.where(is_across, src + dst % self._places - src % self._places, src)
            moved = at != src
            hops, inside_s = super().routes(src, np.where(moved, at, dst))
            inside, more_s = [np.where(moved, hops, -1)], np.where(moved, inside_s, 0.0)
        links, latency_s = super().routes(at, dst)
        first, last = self.leaf_of(at), self.leaf_of(dst)
        climbs = is_across & (first != last)
        if climbs.any():
            leaves, base = (len(self.rates) - 4 * self.ranks) // 2, 4 * self.ranks
            spine = np.stack([base + first, base + leaves + last])
            links = np.concatenate([links, np.where(climbs, spine, -1)])
        if inside:
            links = np.concatenate([*inside, links])
        return links, latency_s + more_s + np.where(climbs, self.spine_latency_s, 0.0)

    @property
    def _places(self) -> int:
        return self.per_node or self.ranks
