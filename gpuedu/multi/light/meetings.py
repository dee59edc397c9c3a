"""Collectives: calls that every rank of a group makes, in the same order."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import torch

from gpuedu.clock import Moment, VirtualClock
from gpuedu.multi import network
from gpuedu.multi.exchanges import CommunicationError, Exchange
from gpuedu.multi.light.posts import place
from gpuedu.multi.network import Cluster
from gpuedu.training.call_sites import CallSite
from gpuedu.units import format_size

Schedule = Callable[[int, int], Any]
SCHEDULES: dict[str, Schedule] = {
    "all_reduce": network.ring_all_reduce,
    "reduce": network.tree_reduce,
    "broadcast": network.tree_broadcast,
    "reduce_scatter": network.ring_reduce_scatter,
    "all_gather": network.ring_all_gather,
    "gather": lambda ranks, size: [[(rank, 0, size // ranks) for rank in range(1, ranks)]],
    "scatter": lambda ranks, size: [[(0, rank, size // ranks) for rank in range(1, ranks)]],
    "all_to_all": lambda ranks, size: [
        [(rank, (rank + step) % ranks, size // ranks) for rank in range(ranks)]
        for step in range(1, ranks)
    ],
    "barrier": network.tree_all_reduce,
}
"""Who sends what in a collective over ``size`` bytes: of the whole tensor, not of a rank's part."""


@dataclass(frozen=True)
class Call:
    """What one rank said when it came: all ranks have to say the same.

    ``wants`` is what has to agree: the shapes, the types, the operation, the root. ``whole_bytes``
    is the size that the schedule is for, ``size_bytes`` that of the rank's own tensor.
    """

    kind: str
    wants: tuple[Any, ...]
    tensors: Any
    size_bytes: int
    whole_bytes: int
    site: CallSite | None
    posted_s: float

    def __str__(self) -> str:
        return f"{self.kind}({', '.join(map(str, self.wants))}){place(self.site)}"


@dataclass
class Meeting:
    """One collective of a group: who has come, and the moment at which it is over."""

    number: int
    done: Moment
    calls: dict[int, Call] = field(default_factory=dict)


Work = Callable[[Sequence[Any]], None]
"""Changes the tensors of all ranks, handed over in the order of the ranks."""


class Meetings:
    """The collectives of one group of ranks, one after another."""

    def __init__(
        self, clock: VirtualClock, cluster: Cluster, members: Sequence[int], log: list[Exchange]
    ) -> None:
        self.members = tuple(members)
        self._clock, self._cluster, self._log = clock, cluster, log
        self._meetings: list[Meeting] = []
        self._came = dict.fromkeys(self.members, 0)
        self._free_s = 0.0

    def come(self, rank: int, call: Call, work: Work) -> Meeting:
        """Enter the rank's next collective; the last one to come lets it begin."""
        number = self._came[rank]
        self._came[rank] += 1
        if number == len(self._meetings):
            what = f"the others in collective {number + 1}, {call}"
            self._meetings.append(Meeting(number, self._clock.moment(what)))
        meeting = self._meetings[number]
        meeting.calls[rank] = call
        if len(meeting.calls) == len(self.members):
            fault = self._disagreement(meeting)
            if fault is not None:
                meeting.done.happen(fault)
            else:
                self._clock.start(self._hold(meeting, work), call.kind, is_server=True)
        return meeting

    def _disagreement(self, meeting: Meeting) -> CommunicationError | None:
        """The first rank that came to another collective than rank 0 of the group did."""
        first = meeting.calls[self.members[0]]
        for rank in self.members[1:]:
            call = meeting.calls[rank]
            if (call.kind, call.wants) != (first.kind, first.wants):
                return CommunicationError(
                    f"collective {meeting.number + 1} of rank {self.members[0]} is {first}, "
                    f"of rank {rank} it is {call}",
                    remedy="Every rank calls the same collectives in the same order, on tensors of "
                    "the same shape and type.",
                )
        return None

    def _hold(self, meeting: Meeting, work: Work) -> Generator[Moment, Any, None]:
        calls = [meeting.calls[rank] for rank in self.members]
        now_s = self._clock.now()
        # One at a time: a group has one channel.
        start_s = max(now_s, self._free_s)
        time_s = _time_s(calls[0].kind, self._cluster, self.members, calls[0].whole_bytes)
        self._free_s = start_s + time_s
        yield self._clock.after(self._free_s - now_s)
        with torch.no_grad():
            work([call.tensors for call in calls])
        for rank, call in zip(self.members, calls, strict=True):
            self._note(rank, call, start_s)
        meeting.done.happen()

    def _note(self, rank: int, call: Call, start_s: float) -> None:
        end_s = self._clock.now()
        at = (call.site.line, call.site.text) if call.site else (0, "")
        times_s = call.posted_s, start_s, end_s
        self._log.append(Exchange(rank, call.kind, None, call.size_bytes, *times_s, *at))
        size = format_size(call.size_bytes)
        self._clock.record(f"rank {rank}", "collective", start_s, end_s, f"{call.kind} {size}")


@cache
def _time_s(kind: str, cluster: Cluster, members: tuple[int, ...], whole_bytes: int) -> float:
    """How long the schedule of a collective takes among these ranks."""
    if len(members) == 1:
        return 0.0
    names = np.array(members)
    rounds = []
    for messages in SCHEDULES[kind](len(members), whole_bytes):
        table = np.asarray(messages)
        rounds.append(np.column_stack([names[table[:, 0]], names[table[:, 1]], table[:, 2]]))
    return network.simulate(rounds, cluster).time_s
