"""How long a schedule of messages takes on a cluster.

A schedule is a sequence of rounds, a round a table of messages: from, to, bytes. A rank starts its
messages of a round when those of its earlier rounds are done; there is no barrier between rounds,
so ranks may be in different ones. A message is ready when both its ranks are. Every link of its
route then carries it after those that came before it, for its bytes over the link's rate; it has
passed when the last of its links has carried it, and arrives a latency later. Messages of a round
that share a link go in the order of the table.

What it simplifies: nothing else is on the network, messages are never lost or split, a message that
waits at one link does not block its other links, and adding numbers up takes no time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from gpuedu.multi.network.topology import Topology
from gpuedu.widths import count_each

Round = np.ndarray
"""Messages, shape (count, 3): from, to, bytes."""


@dataclass(frozen=True)
class Traffic:
    """What a schedule did.

    ``done_s`` is when each rank had finished its last message, ``sent_bytes`` and
    ``received_bytes`` what it sent and received, ``across_bytes`` what passed between nodes;
    ``messages`` counts all.
    """

    done_s: np.ndarray
    sent_bytes: np.ndarray
    received_bytes: np.ndarray
    across_bytes: int
    messages: int

    @property
    def time_s(self) -> float:
        """When the last rank was done."""
        return float(self.done_s.max(initial=0.0))


def simulate(schedule: Iterable[Iterable[tuple[int, int, int]]], cluster: Topology) -> Traffic:
    """Send the messages of a schedule over a cluster, or any other topology.

    Args:
        schedule: rounds, each an array of shape (count, 3) or triples (from, to, bytes).
        cluster: where the ranks are, and what links them.

    Raises:
        ValueError: a message from or to a rank that does not exist, from a rank to itself, or of
            fewer than 0 bytes; it names the round.

    >>> from gpuedu.multi.network import Cluster, Link
    >>> pair = Cluster(2, Link("made up", 1e-6, 1e9))
    >>> simulate([[(0, 1, 1000)], [(1, 0, 1000)]], pair).done_s.tolist()
    [4e-06, 4e-06]
    """
    state = _State(cluster)
    for number, messages in enumerate(schedule):
        state.send(_table(messages, number, cluster.ranks))
    return Traffic(
        state.ready_s, state.sent_bytes, state.received_bytes, state.across_bytes, state.messages
    )


def _table(messages: Iterable[tuple[int, int, int]], number: int, ranks: int) -> Round:
    table = np.asarray(messages if isinstance(messages, np.ndarray) else list(messages))
    if table.size == 0:
        return np.zeros((0, 3), np.int64)
    if table.ndim != 2 or table.shape[1] != 3 or table.dtype.kind not in "iu":
        raise ValueError(f"round {number}: a message is three whole numbers: from, to, bytes")
    src, dst, size = table.T
    wrong = (src < 0) | (src >= ranks) | (dst < 0) | (dst >= ranks) | (src == dst) | (size < 0)
    if wrong.any():
        row = ", ".join(map(str, table[wrong.argmax()].tolist()))
        raise ValueError(f"round {number}: no message between {ranks} ranks: ({row})")
    return table


class _State:
    """The ranks and links between two rounds."""

    def __init__(self, topology: Topology) -> None:
        self._topology, self._rates = topology, topology.rates
        self._free_s = np.zeros(len(self._rates))
        self.ready_s = np.zeros(topology.ranks)
        self.sent_bytes = np.zeros(topology.ranks, np.int64)
        self.received_bytes = np.zeros(topology.ranks, np.int64)
        self.across_bytes = self.messages = 0

    def send(self, table: Round) -> None:
        """Let a round happen."""
        if not len(table):
            return
        src, dst, size = table.T
        np.add.at(self.sent_bytes, src, size)
        np.add.at(self.received_bytes, dst, size)
        self.messages += len(table)
        nodes = self._topology.node_of(src), self._topology.node_of(dst)
        self.across_bytes += int(size[nodes[0] != nodes[1]].sum())
        links, latency_s = self._topology.routes(src, dst)
        both_ready_s = np.maximum(self.ready_s[src], self.ready_s[dst])
        there_s = self._pass(links, both_ready_s, size) + latency_s
        np.maximum.at(self.ready_s, src, there_s)
        np.maximum.at(self.ready_s, dst, there_s)

    def _pass(self, links: np.ndarray, ready_s: np.ndarray, size: np.ndarray) -> np.ndarray:
        """When the last link of each message has carried it."""
        if _all_differ(links):
            ends_s = np.maximum(ready_s, self._free_s[links])
            ends_s += size / self._rates[links]
            self._free_s[links] = ends_s
            return ends_s.max(axis=0)
        passed_s = ready_s.copy()
        for message, link in _turns(links):
            ends_s = np.maximum(ready_s[message], self._free_s[link])
            ends_s += size[message] / self._rates[link]
            self._free_s[link] = ends_s
            np.maximum.at(passed_s, message, ends_s)
        return passed_s


def _all_differ(links: np.ndarray) -> bool:
    """Whether all routes are equally long, and no two share a link."""
    return links.min() >= 0 and bool(count_each(links.ravel()).max() <= 1)  # no sorting


def _turns(links: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Who is carried where, first by those that are first at their link, then by the second, ..."""
    message, hop = np.nonzero(links.T >= 0)  # by message: they queue in the order of the table
    link = links[hop, message]
    by_link = np.argsort(link, kind="stable")
    message, link = message[by_link], link[by_link]
    firsts = np.flatnonzero(np.diff(link, prepend=-1))
    lengths = np.diff(firsts, append=len(link))
    turn = np.arange(len(link)) - np.repeat(firsts, lengths)
    by_turn = np.argsort(turn, kind="stable")
    ends = np.cumsum(count_each(turn))
    for chosen in np.split(by_turn, ends[:-1]):
        yield message[chosen], link[chosen]
