"""Collectives: calls that every rank of a group makes, in the same order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import torch

from gpuedu.clock import Moment, VirtualClock
from gpuedu.multi import network
from gpuedu.multi.exchanges import CommunicationError, Exchange
from gpuedu.multi.light.posts import bytes_of, place, same_bits
from gpuedu.multi.network import Topology
from gpuedu.training.call_sites import CallSite
from gpuedu.units import format_size

Schedule = Callable[[int, int, int], Any]
SCHEDULES: dict[str, Schedule] = {
    "all_reduce": lambda ranks, size, root: network.ring_all_reduce(ranks, size),
    "reduce": network.tree_reduce,
    "broadcast": network.tree_broadcast,
    "reduce_scatter": lambda ranks, size, root: network.ring_reduce_scatter(ranks, size),
    "all_gather": lambda ranks, size, root: network.ring_all_gather(ranks, size),
    "gather": lambda ranks, size, root: [
        [(rank, root, size // ranks) for rank in range(ranks) if rank != root]
    ],
    "scatter": lambda ranks, size, root: [
        [(root, rank, size // ranks) for rank in range(ranks) if rank != root]
    ],
    "all_to_all": lambda ranks, size, root: network.all_to_all(ranks, size),
    "barrier": lambda ranks, size, root: network.tree_all_reduce(ranks, size),
}
"""Who sends what in a collective over ``size`` bytes, those of the whole; ``root`` is a place."""


@dataclass(frozen=True)
class CollectiveCall:
    """What a rank says of a collective.

    Attributes:
        kind: a key of ``SCHEDULES``.
        wants: what has to be the same on all ranks: shapes, types, the operation, the root.
        tensors: what the work on them needs.
        given: what the rank hands over, which must not change until it is done; None for nothing.
        whole_bytes: the size that the schedule is for.
        root: the place of the root in the group.
    """

    kind: str
    wants: tuple[str, ...] = ()
    tensors: Any = None
    given: torch.Tensor | None = None
    whole_bytes: int = 0
    root: int = 0


@dataclass(frozen=True)
class PostedCall:
    """What a rank said, where in its program and when; ``kept`` is a copy of what it gave."""

    said: CollectiveCall
    site: CallSite | None
    posted_s: float
    kept: torch.Tensor | None

    def __str__(self) -> str:
        return f"{self.said.kind}({', '.join(self.said.wants)}){place(self.site)}"


@dataclass
class Collective:
    """One collective of a group: who has come, and the moment at which it is over.

    ``arrived`` is what each rank got, until it has waited for it: tensors to write to, and values.
    """

    number: int
    done: Moment
    calls: dict[int, PostedCall] = field(default_factory=dict)
    arrived: dict[int, list[tuple[torch.Tensor, torch.Tensor]]] = field(default_factory=dict)

    def deliver(self, rank: int) -> None:
        """Put what arrived into the rank's tensors: it has waited for it."""
        with torch.no_grad():
            for into, value in self.arrived.pop(rank, ()):
                into.copy_(value)


Written = Sequence[Sequence[tuple[torch.Tensor, torch.Tensor]]]
"""What a collective writes, rank by rank: the tensors to write to, and the values."""
Outputs = Callable[[Sequence[Any]], Written]
"""Finds that from the tensors of all ranks."""


class Group:
    """The collectives of one group of ranks, one after another."""

    def __init__(
        self, clock: VirtualClock, cluster: Topology, members: Sequence[int], log: list[Exchange]
    ) -> None:
        self.members = tuple(members)
        self._clock, self._cluster, self._log = clock, cluster, log
        self._collectives: list[Collective] = []
        self._came = dict.fromkeys(self.members, 0)
        self._free_s = 0.0

    def come(
        self, rank: int, said: CollectiveCall, site: CallSite | None, outputs: Outputs
    ) -> Collective:
        """Enter the rank's next collective; the last one to come lets it begin."""
        number = self._came[rank]
        self._came[rank] += 1
        kept = None if said.given is None else said.given.detach().clone()
        call = PostedCall(said, site, self._clock.now(), kept)
        if number == len(self._collectives):
            what = f"the others in collective {number + 1}, {call}"
            self._collectives.append(Collective(number, self._clock.moment(what)))
        collective = self._collectives[number]
        collective.calls[rank] = call
        if len(collective.calls) == len(self.members):
            fault = self._disagreement(collective)
            if fault is not None:
                collective.done.happen(fault)
            else:
                times_s = self._book(collective)
                self._clock.start(
                    self._hold(collective, outputs, *times_s), said.kind, is_server=True
                )
        return collective

    def _disagreement(self, collective: Collective) -> CommunicationError | None:
        """The first rank that came to another collective than rank 0 of the group did."""
        first = collective.calls[self.members[0]]
        for rank in self.members[1:]:
            call = collective.calls[rank]
            if (call.said.kind, call.said.wants) != (first.said.kind, first.said.wants):
                return CommunicationError(
                    f"collective {collective.number + 1} of rank {self.members[0]} is {first}, "
                    f"of rank {rank} it is {call}",
                    remedy="Every rank calls the same collectives in the same order, on tensors of "
                    "the same shape and type.",
                )
        return None

    def _book(self, collective: Collective) -> tuple[float, float]:
        """When a collective to which all have come begins and ends.

        A group has one channel, which carries its collectives in the order in which they are
        called, also where several are called at the same instant.
        """
        first = collective.calls[self.members[0]].said
        start_s = max(self._clock.now(), self._free_s)
        time_s = _time_s(first.kind, self._cluster, self.members, first.whole_bytes, first.root)
        self._free_s = start_s + time_s
        return start_s, self._free_s

    def _hold(
        self, collective: Collective, outputs: Outputs, start_s: float, end_s: float
    ) -> Generator[Moment, Any, None]:
        calls = [collective.calls[rank] for rank in self.members]
        yield self._clock.after(end_s - self._clock.now())
        fault = self._change(calls)
        if fault is None:
            with torch.no_grad():
                written = outputs([call.said.tensors for call in calls])
            collective.arrived = {
                rank: [(into, value.detach().clone()) for into, value in pairs]
                for rank, pairs in zip(self.members, written, strict=True)
            }
        for rank, call in zip(self.members, calls, strict=True):
            self._note(rank, call, start_s)
        collective.done.happen(fault)

    def _change(self, calls: Sequence[PostedCall]) -> CommunicationError | None:
        """The first rank that changed what it had given, before it was done."""
        for rank, call in zip(self.members, calls, strict=True):
            if call.kept is not None and not same_bits(call.said.given, call.kept):
                return CommunicationError(
                    f"rank {rank} called {call}, and changed its tensor before that was done",
                    remedy="With `async_op=True` the call returns at once: call `.wait()` on what "
                    "it returns before the tensor is changed.",
                )
        return None

    def _note(self, rank: int, call: PostedCall, start_s: float) -> None:
        end_s, kind = self._clock.now(), call.said.kind
        at = (call.site.line, call.site.text) if call.site else (0, "")
        size = 0 if call.said.given is None else bytes_of(call.said.given)
        times_s = call.posted_s, start_s, end_s
        whole, root = call.said.whole_bytes, call.said.root
        wire = _wire_bytes(kind, self._cluster, self.members, whole, root).get(rank, (0, 0))
        self._log.append(Exchange(rank, kind, None, size, *times_s, *at, *wire))
        label = f"{kind} {format_size(size)}"
        self._clock.record(f"rank {rank}", "collective", start_s, end_s, label)


@cache
def _time_s(
    kind: str, cluster: Topology, members: tuple[int, ...], whole_bytes: int, root: int
) -> float:
    """How long the schedule of a collective takes among these ranks."""
    return network.simulate(_rounds(kind, members, whole_bytes, root), cluster).time_s


@cache
def _wire_bytes(
    kind: str, cluster: Topology, members: tuple[int, ...], whole_bytes: int, root: int
) -> dict[int, tuple[int, int]]:
    """What each rank sends in it, and what of that leaves its node."""
    sent: Counter[int] = Counter()
    across: Counter[int] = Counter()
    for messages in _rounds(kind, members, whole_bytes, root):
        for src, dst, size in messages.tolist():
            sent[src] += size
            across[src] += size * int(cluster.node_of(src) != cluster.node_of(dst))
    return {rank: (size, across[rank]) for rank, size in sent.items()}


def _rounds(kind: str, members: tuple[int, ...], whole_bytes: int, root: int) -> list[np.ndarray]:
    """The messages of a collective, by round; their ranks are those of the world."""
    if len(members) == 1:
        return []
    names = np.array(members)
    rounds = []
    for messages in SCHEDULES[kind](len(members), whole_bytes, root):
        table = np.asarray(messages)
        rounds.append(np.column_stack([names[table[:, 0]], names[table[:, 1]], table[:, 2]]))
    return rounds
