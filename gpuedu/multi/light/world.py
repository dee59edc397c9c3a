"""Ranks that are threads of one process, on a simulated clock and network."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gpuedu.clock import Timeline, VirtualClock
from gpuedu.errors import DeadlockError, GpueduError
from gpuedu.multi.exchanges import CommunicationError, Exchange, RankError
from gpuedu.multi.light.acts import Acts
from gpuedu.multi.light.groups import Group
from gpuedu.multi.light.posts import Mailbox
from gpuedu.multi.network import Topology
from gpuedu.training.call_sites import CallSite, find_caller

_HERE: dict[int, tuple[LightWorld, int]] = {}
"""World and rank of each thread that is one."""


@dataclass(frozen=True)
class LightRun:
    """The outcome of a run: results by rank, exchanges in the order in which they ended."""

    results: tuple[Any, ...]
    exchanges: tuple[Exchange, ...]
    timeline: Timeline
    time_s: float


class LightWorld:
    """The ranks of one run, with their mailbox, and the groups that meet in collectives.

    Attributes:
        acts: what each rank asked for.
        begun: what each rank has started, as handles to wait on, in that order.
        performed: how many acts of another run were asked for again, by kind.
    """

    def __init__(self, cluster: Topology, seed: int | None = None) -> None:
        self.cluster, self.ranks = cluster, cluster.ranks
        self.clock = VirtualClock(seed=seed)
        self.log: list[Exchange] = []
        self._busy_until_s: dict[int, float] = {}  # each link, by messages and all groups
        self.mailbox = Mailbox(self.clock, cluster, self.log, self._busy_until_s)
        self._groups: dict[tuple[int, ...], list[Group]] = {}
        self._asked: dict[int, list[tuple[int, ...]]] = {}
        self.everybody = self._make_group(range(self.ranks))
        self.acts = [Acts() for _ in range(self.ranks)]
        self.begun: list[list[Any]] = [[] for _ in range(self.ranks)]
        self.performed: Counter[int] = Counter()

    def group(self, rank: int, members: Sequence[int]) -> Group:
        """The group of these ranks that this rank asks for; a second call returns a second group.

        CommunicationError if another rank asked for another group at this point: PyTorch's ranks
        would wait for each other.
        """
        key = tuple(sorted(members))
        self.acts[rank].group(members)
        asked = self._asked.setdefault(rank, [])
        number = asked.count(key)
        asked.append(key)
        self._require_same_groups(rank)
        groups = self._groups.setdefault(key, [])
        while len(groups) <= number:
            groups.append(self._make_group(key))
        return groups[number]

    def _make_group(self, members: Sequence[int]) -> Group:
        return Group(self.clock, self.cluster, members, self.log, self._busy_until_s)

    def groups_of(self, members: Sequence[int]) -> Sequence[Group]:
        """The groups of these ranks, in the order in which they were made."""
        return self._groups.get(tuple(sorted(members)), ())

    def name_of(self, group: Group) -> tuple[Sequence[int], int] | None:
        """The members of a group, and which of the groups with them it is; None for the world's."""
        if group is self.everybody:
            return None
        return group.members, self.groups_of(group.members).index(group)

    def work(self, rank: int, time_s: float, label: str = "") -> None:
        """Make a rank compute; the calling thread is that rank."""
        self.acts[rank].work(time_s, label)
        self.clock.work(time_s, "kernel", lane=f"rank {rank}", label=label)

    def _require_same_groups(self, rank: int) -> None:
        at = len(self._asked[rank]) - 1
        wanted = self._asked[rank][at]
        for other, asked in self._asked.items():
            if len(asked) > at and asked[at] != wanted:
                raise CommunicationError(
                    f"call {at + 1} of `new_group` is for the ranks {list(wanted)} on rank {rank}, "
                    f"and for {list(asked[at])} on rank {other}",
                    remedy="Every rank makes every group, in the same order, even those that it is "
                    "not in.",
                )

    def run(self, function: Callable[..., Any], arguments: Sequence[Any]) -> LightRun:
        """Run ``function(*arguments)`` on all ranks; see ``run_light``."""
        results: list[Any] = [None] * self.ranks
        with self.clock:
            processes = [
                self.clock.start_thread(self._body(rank, function, arguments, results), name)
                for rank, name in ((rank, f"rank {rank}") for rank in range(self.ranks))
            ]
            try:
                for process in processes:
                    self.clock.wait(process.ended, kind=None)
            except DeadlockError as fault:
                self._raise_first_fault()
                raise _as_ranks(fault, self.ranks) from None
            self._raise_first_fault()
        return LightRun(tuple(results), tuple(self.log), self.clock.timeline, self.clock.now())

    def _body(
        self, rank: int, function: Callable[..., Any], arguments: Sequence[Any], results: list[Any]
    ) -> Callable[[], None]:
        def body() -> None:
            _HERE[threading.get_ident()] = self, rank
            try:
                results[rank] = function(*arguments)
            finally:
                del _HERE[threading.get_ident()]

        return body

    def _raise_first_fault(self) -> None:
        """A rank that failed explains why others wait."""
        for name, fault in self.clock.failures:
            if isinstance(fault, CommunicationError):
                raise fault
            rank = int(name.removeprefix("rank "))
            message = str(fault) if isinstance(fault, GpueduError) else _told(fault)
            raise RankError(f"{name} failed: {message}", rank=rank, fault=fault) from fault


def here() -> tuple[LightWorld, int] | None:
    """World and rank of the calling thread; None if it is not a light rank."""
    return _HERE.get(threading.get_ident())


def call_site() -> CallSite | None:
    """The line of the program that called a function of ``torch.distributed``."""
    return find_caller(sys._getframe(1), own_file=__file__)


def work_for(time_s: float, label: str = "") -> None:
    """Make the calling rank compute for ``time_s`` simulated seconds."""
    found = here()
    if found is not None:
        world, rank = found
        world.work(rank, time_s, label)


def _as_ranks(fault: DeadlockError, ranks: int) -> DeadlockError:
    """The deadlock without the thread that drives the clock, and with ranks that have returned."""
    waiting = tuple(one for one in fault.waiting if one.name.startswith("rank "))
    stuck = {one.name for one in waiting}
    over = [name for name in (f"rank {rank}" for rank in range(ranks)) if name not in stuck]
    told = [f"{one.name} waits for {one.what}" for one in waiting]
    if over:
        told.append(f"{', '.join(over)} {'has' if len(over) == 1 else 'have'} returned")
    return DeadlockError(
        f"no rank can go on: {'; '.join(told)}",
        waiting=waiting,
        remedy="Which call, on which rank, should end each wait?",
    )


def _told(fault: BaseException) -> str:
    text = str(fault)
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__
