"""What every topology says: how many ranks it has, and through which links a message goes."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from gpuedu.multi.network.links import Link


class Topology(ABC):
    """Ranks, and links between them that messages share.

    Every link is numbered, has a rate, and carries one message after another. A message streams
    through all links of its route at once, as fast as the slowest of them allows.

    Attributes:
        ranks: how many there are.
    """

    ranks: int

    @property
    @abstractmethod
    def rates(self) -> np.ndarray:
        """Bytes a second of each link, shape (links,)."""

    @abstractmethod
    def routes(self, src: np.ndarray, dst: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The links of each message, and its latency in seconds.

        Args:
            src: the ranks that send, shape (messages,).
            dst: the ranks that receive, in the same number; none is its own sender.

        Returns:
            Numbers of links, shape (hops, messages), -1 where a route is shorter; and latencies,
            shape (messages,).
        """

    def node_of(self, rank: int | np.ndarray) -> int | np.ndarray:
        """The node of a rank, or of each; if a topology has no nodes, all are in node 0."""
        return rank * 0

    def between(self, src: int, dst: int) -> Link:
        """A message's whole path as one link; ValueError for missing or equal ranks."""
        self._require_pair(src, dst)
        links, latency_s = self.routes(np.array([src]), np.array([dst]))
        hops = links[links >= 0]
        name = f"rank {src} to rank {dst}"
        return Link(name, float(latency_s[0]), float(self.rates[hops].min()))

    def _require_pair(self, src: int, dst: int) -> None:
        for rank in (src, dst):
            if not 0 <= rank < self.ranks:
                raise ValueError(f"there is no rank {rank} of {self.ranks}")
        if src == dst:
            raise ValueError(f"rank {src} does not send to itself")
