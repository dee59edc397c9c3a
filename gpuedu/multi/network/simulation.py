"""How long a schedule of messages takes on a cluster.

A schedule is a sequence of rounds, a round a table of messages: from, to, bytes. A rank begins its
messages of a round when those of its earlier rounds are done; there is no barrier between rounds,
so ranks may be in different ones. A message begins when both its ranks are ready and its two ports
are free; it holds the ports while its bytes pass, and is there a latency later. Messages of a round
that share a port go in the order of the table.

What it simplifies: nothing else is on the network, messages are never lost or split, and adding
numbers up takes no time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gpuedu.multi.network.cluster import Cluster
from gpuedu.widths import count_each

Round = np.ndarray
"""Messages, shape (count, 3): from, to, bytes."""


@dataclass(frozen=True)
class Traffic:
    """What a schedule did.

    ``done_s`` is when each rank had done its last message, ``sent_bytes`` and ``received_bytes``
    what it sent and received, ``across_bytes`` what passed between nodes; ``messages`` counts all.
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


def simulate(schedule: Iterable[Iterable[tuple[int, int, int]]], cluster: Cluster) -> Traffic:
    """Send the messages of a schedule over a cluster.

    Args:
        schedule: rounds, each an array of shape (count, 3) or triples (from, to, bytes).
        cluster: where the ranks are.

    Raises:
        ValueError: a message from, to or between ranks that are not there, or of less than 0 bytes;
            it names the round.

    >>> from gpuedu.multi.network.links import Link
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
    """The ranks and ports between two rounds."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.ready_s = np.zeros(cluster.ranks)
        self._out_s, self._into_s = np.zeros(2 * cluster.ranks), np.zeros(2 * cluster.ranks)
        self.sent_bytes = np.zeros(cluster.ranks, np.int64)
        self.received_bytes = np.zeros(cluster.ranks, np.int64)
        self.across_bytes = self.messages = 0

    def send(self, table: Round) -> None:
        """Let a round happen."""
        if not len(table):
            return
        src, dst, size = table.T
        np.add.at(self.sent_bytes, src, size)
        np.add.at(self.received_bytes, dst, size)
        self.messages += len(table)
        nodes = self._cluster.node_of(src), self._cluster.node_of(dst)
        self.across_bytes += int(size[nodes[0] != nodes[1]].sum())
        latency_s, rate = self._cluster.costs(src, dst)
        out, into = self._cluster.ports(src, dst)
        both_ready_s = np.maximum(self.ready_s[src], self.ready_s[dst])
        if _all_differ(out) and _all_differ(into):
            passed_s = self._pass(out, into, both_ready_s, size / rate)
        else:
            passed_s = np.concatenate(
                [
                    self._pass(out[[i]], into[[i]], both_ready_s[[i]], size[[i]] / rate[[i]])
                    for i in range(len(table))
                ]
            )
        there_s = passed_s + latency_s
        np.maximum.at(self.ready_s, src, there_s)
        np.maximum.at(self.ready_s, dst, there_s)

    def _pass(
        self, out: np.ndarray, into: np.ndarray, ready_s: np.ndarray, time_s: np.ndarray
    ) -> np.ndarray:
        """When the last byte of each message has left; no two of them share a port."""
        begin_s = np.maximum(ready_s, np.maximum(self._out_s[out], self._into_s[into]))
        self._out_s[out] = self._into_s[into] = begin_s + time_s
        return begin_s + time_s


def _all_differ(numbers: np.ndarray) -> bool:
    return bool(count_each(numbers).max(initial=0) <= 1)  # small whole numbers: no sorting
