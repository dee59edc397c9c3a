"""Collectives: calls that every rank of a group makes, in the same order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from gpuedu.clock import Moment, VirtualClock
from gpuedu.multi.exchanges import CommunicationError, Exchange
from gpuedu.multi.light.carrying import Carried, links_of, time_of, wire_bytes
from gpuedu.multi.light.posts import bytes_of, float_bytes_of, place, same_bits
from gpuedu.multi.network import Topology
from gpuedu.training.call_sites import CallSite
from gpuedu.units import format_size


@dataclass(frozen=True)
class CollectiveCall:
    """What a rank says about a collective.

    Attributes:
        kind: a key of ``carrying.SCHEDULES``.
        wants: what has to be the same on all ranks: shapes, types, the operation, the root.
        tensors: what the work on them needs.
        given: what the rank hands over, which must not change until it is done; None for nothing.
        whole_bytes: the size that the schedule is for.
        root: the place of the root in the group.
        sends: for an all-to-all in uneven parts, the bytes for each member; otherwise empty.
        expects: the bytes that it expects from each member.
    """

    kind: str
    wants: tuple[str, ...] = ()
    tensors: Any = None
    given: torch.Tensor | None = None
    whole_bytes: int = 0
    root: int = 0
    sends: tuple[int, ...] = ()
    expects: tuple[int, ...] = ()


@dataclass(frozen=True)
class PostedCall:
    """What a rank said, where in its program and when; ``kept`` copies what it handed over."""

    said: CollectiveCall
    site: CallSite | None
    posted_s: float
    kept: torch.Tensor | None

    def __str__(self) -> str:
        return f"{self.said.kind}({', '.join(self.said.wants)}){place(self.site)}"


@dataclass
class Collective:
    """One collective of a group: who has come, and the moment at which it is over.

    ``arrived`` is what each rank got but has not yet waited for: tensors to write to, and values.
    """

    number: int
    done: Moment
    calls: dict[int, PostedCall] = field(default_factory=dict)
    arrived: dict[int, list[tuple[torch.Tensor, torch.Tensor]]] = field(default_factory=dict)

    def deliver(self, rank: int) -> None:
        """Put what arrived into the rank's tensors, now that it has waited for it."""
        with torch.no_grad():
            for into, value in self.arrived.pop(rank, ()):
                into.copy_(value)


Written = Sequence[Sequence[tuple[torch.Tensor, torch.Tensor]]]
"""What a collective writes, rank by rank: the tensors to write to, and the values."""
Outputs = Callable[[Sequence[Any]], Written]
"""Finds that from the tensors of all ranks."""


class Group:
    """The collectives of one group of ranks, one after another.

    ``busy_until_s`` is that of the world, by link.
    """

    def __init__(
        self,
        clock: VirtualClock,
        cluster: Topology,
        members: Sequence[int],
        log: list[Exchange],
        busy_until_s: dict[int, float],
    ) -> None:
        self.members = tuple(members)
        self._clock, self._cluster, self._log = clock, cluster, log
        self._collectives: list[Collective] = []
        self._came = dict.fromkeys(self.members, 0)
        self._free_s = 0.0
        self._busy_until_s = busy_until_s

    def come(
        self, rank: int, said: CollectiveCall, site: CallSite | None, outputs: Outputs
    ) -> Collective:
        """Enter the rank's next collective; it starts when the last rank has come."""
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
                carried, *times_s = self._book(collective)
                self._clock.start(
                    self._hold(collective, outputs, carried, *times_s), said.kind, is_server=True
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
        return self._misfit(collective)

    def _misfit(self, collective: Collective) -> CommunicationError | None:
        """The first two ranks of which one sends the other something else than it expects."""
        nothing = (0,) * len(self.members)
        said = [collective.calls[rank].said for rank in self.members]
        if not any(one.sends or one.expects for one in said):
            return None
        for (at, one), (to, other) in itertools.product(enumerate(said), repeat=2):
            sent, expected = (one.sends or nothing)[to], (other.expects or nothing)[at]
            if sent != expected:
                src, dst = self.members[at], self.members[to]
                return CommunicationError(
                    f"collective {collective.number + 1}, {collective.calls[src]}: rank {src} "
                    f"sends {format_size(sent)} to rank {dst}, which expects "
                    f"{format_size(expected)}",
                    remedy="Element j of `input_split_sizes` on rank i is element i of "
                    "`output_split_sizes` on rank j. An all-to-all of the sizes can tell each "
                    "rank what to expect.",
                )
        return None

    def _book(self, collective: Collective) -> tuple[Carried, float, float]:
        """What a collective to which all have come carries, and when it begins and ends.

        A group has one channel, which carries its collectives in the order in which they are
        called, also where several are called at the same instant. Other groups have channels of
        their own, over the same links: those that it needs are free when it begins, and nothing
        else passes them until it is over.
        """
        first = collective.calls[self.members[0]].said
        carried = Carried(first.kind, first.whole_bytes, first.root, self._parts(collective))
        links = links_of(carried, self._cluster, self.members)
        free_s = [self._busy_until_s.get(link, 0.0) for link in links]
        start_s = max(self._clock.now(), self._free_s, *free_s)
        self._free_s = start_s + time_of(carried, self._cluster, self.members)
        self._busy_until_s.update(dict.fromkeys(links, self._free_s))
        return carried, start_s, self._free_s

    def _parts(self, collective: Collective) -> tuple[tuple[int, ...], ...]:
        """What each member sends to each, where the parts are uneven."""
        nothing = (0,) * len(self.members)
        sends = [collective.calls[rank].said.sends for rank in self.members]
        return tuple(one or nothing for one in sends) if any(sends) else ()

    def _hold(
        self,
        collective: Collective,
        outputs: Outputs,
        carried: Carried,
        start_s: float,
        end_s: float,
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
        wires = wire_bytes(carried, self._cluster, self.members)
        for rank, call in zip(self.members, calls, strict=True):
            self._note(rank, call, start_s, wires.get(rank, (0, 0)))
        collective.done.happen(fault)

    def _change(self, calls: Sequence[PostedCall]) -> CommunicationError | None:
        """The first rank that changed what it had given, before it was done."""
        for rank, call in zip(self.members, calls, strict=True):
            if call.kept is not None and not same_bits(call.said.given, call.kept):
                return CommunicationError(
                    f"rank {rank} called {call}, and changed its tensor before it was done",
                    remedy="With `async_op=True` the call returns at once: call `.wait()` on what "
                    "it returns before the tensor is changed.",
                )
        return None

    def _note(self, rank: int, call: PostedCall, start_s: float, wire: tuple[int, int]) -> None:
        end_s, kind = self._clock.now(), call.said.kind
        at = (call.site.line, call.site.text) if call.site else (0, "")
        size = 0 if call.said.given is None else bytes_of(call.said.given)
        times_s = call.posted_s, start_s, end_s
        floats = self._float_bytes(call.said)
        self._log.append(Exchange(rank, kind, None, size, *times_s, *at, *wire, floats))
        label = f"{kind} {format_size(size)}"
        self._clock.record(f"rank {rank}", "collective", start_s, end_s, label)

    @staticmethod
    def _float_bytes(said: CollectiveCall) -> int:
        """Those of what it gives, or, where it gives nothing, of what the ranks agree on."""
        dtype = getattr(said.given, "dtype", None)
        if dtype is None and said.wants:
            dtype = getattr(torch, said.wants[0].rpartition(" ")[2], None)
        return float_bytes_of(dtype) if isinstance(dtype, torch.dtype) else 0
