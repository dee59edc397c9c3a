"""Nodes of GPUs: a switch in each node, and network cards between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gpuedu.multi.network.links import Link
from gpuedu.multi.network.topology import Topology


@dataclass(frozen=True)
class Cluster(Topology):
    """Ranks in the order of their nodes: node 0 has ranks 0 to ``per_node - 1``, and so on.

    Within a node every GPU has its own port, and messages between different pairs do not share
    anything (as on a switch). Between nodes a message uses a network card at both ends, and nothing
    else is shared. With ``shared_card`` the GPUs of a node share one card, each way; otherwise each
    GPU has its own.

    Args:
        ranks: how many GPUs.
        within: the link between GPUs of a node.
        across: the link between nodes; not needed if there is only one node.
        per_node: GPUs in a node; all of them by default. The last node may have fewer.
        shared_card: whether the GPUs of a node share its card.

    >>> from gpuedu.multi.network.links import link
    >>> cluster = Cluster(16, link("nvlink4"), link("infiniband-ndr"), per_node=8)
    >>> cluster.nodes, cluster.between(0, 7).name, cluster.between(7, 8).name
    (2, 'NVLink 4', 'InfiniBand NDR')
    """

    ranks: int
    within: Link
    across: Link | None = None
    per_node: int | None = None
    shared_card: bool = False

    def __post_init__(self) -> None:
        if self.ranks < 1 or (self.per_node is not None and self.per_node < 1):
            raise ValueError(f"a cluster needs at least 1 rank, and 1 in a node, got {self}")
        if self.nodes > 1 and self.across is None:
            raise ValueError(f"{self.nodes} nodes need a link between them: `across`")

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return -(-self.ranks // (self.per_node or self.ranks))

    def node_of(self, rank: int | np.ndarray) -> int | np.ndarray:
        """The node of a rank, or of each."""
        return rank // (self.per_node or self.ranks)

    def between(self, src: int, dst: int) -> Link:
        """The link that a message takes; ValueError for ranks that do not exist or are the same."""
        self._require_pair(src, dst)
        return self.within if self.node_of(src) == self.node_of(dst) else self._cards

    @cached_property
    def rates(self) -> np.ndarray:
        """Ports out of each GPU, and into it; then cards out, and into."""
        return self._port_rates()

    def _port_rates(self) -> np.ndarray:
        across = self.within if self.across is None else self.across
        ends = (self.within, self.within, across, across)
        return np.repeat([end.bytes_per_s for end in ends], self.ranks)

    def routes(self, src: np.ndarray, dst: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Each message's port or card out of ``src``, and into ``dst``; and its latency."""
        out, into = src, self.ranks + dst
        is_across = self.node_of(src) != self.node_of(dst)
        latency_s = np.full(src.shape, self.within.latency_s)
        if is_across.any():
            cards = 2 * self.ranks
            of_card = self.node_of if self.shared_card else (lambda rank: rank)
            out = np.where(is_across, cards + of_card(src), out)
            into = np.where(is_across, cards + self.ranks + of_card(dst), into)
            latency_s[is_across] = self._cards.latency_s
        return np.stack([out, into]), latency_s

    @property
    def _cards(self) -> Link:
        assert self.across is not None  # there are several nodes
        return self.across
