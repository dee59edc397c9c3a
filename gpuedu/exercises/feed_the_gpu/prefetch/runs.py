"""A learner's prefetcher at work: fed by a slow disk, used by steps of a device, and watched.

The same run goes on the simulated clock, where it is judged, and on the real one, where it is
shown.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from gpuedu.clock import SlowDisk, Timeline, VirtualClock, WallClock, lend
from gpuedu.clock.lending import let_go
from gpuedu.errors import AnswerError, DeadlockError
from gpuedu.exercises.plain import describe

LIMIT_S = 5.0
"""Simulated seconds after which a run is given up; the longest right one takes less than one."""
_SETTLE_S, _LINGER_S = 10.0, 0.5
BAD = "bad sector"
"""What every exception of the source says."""
AMBIGUOUS = "truth value of an array"
"""How NumPy says that an array was compared and taken for one truth value."""


@dataclass(frozen=True)
class Wanted:
    """What is to be run.

    Attributes:
        reads_s: how long each item takes to read, in seconds.
        steps_s: how long the device computes with each.
        depth: handed to the prefetcher.
        stop_after: how many items are taken before the consumer stops; None for all.
        fault_at: the item whose reading fails, after its time; None for none.
        items: what is read; None for the numbers 0, 1, 2, ...
        fault: what reading the item ``fault_at`` raises.
        is_shut: the source raises ``fault`` before any item: where it is asked for its iterator.
        seed: another legal order of what happens at the same instant.
        is_beside: an item of another call, on another source, is taken after each item.
    """

    reads_s: Sequence[float]
    steps_s: Sequence[float]
    depth: int
    stop_after: int | None = None
    fault_at: int | None = None
    items: Sequence[Any] | None = None
    fault: BaseException = field(default_factory=partial(OSError, BAD))
    is_shut: bool = False
    seed: int | None = None
    is_beside: bool = False


@dataclass(frozen=True)
class Watched:
    """What happened.

    Attributes:
        got: which items arrived, by number in order; -1 for what the source never gave.
        is_mixed: the other call did not give what its source gave.
        raised: the source's exception reached the consumer.
        instead: what reached the consumer in place of that: the type of an exception that was
            raised from it, of its copy, or of an item that was raised; else empty.
        stuck: why the run could not go on; empty where it could.
        waiting: who waited for what when it was stuck, each a pair.
        left: who was left behind after the end, with what each waits for.
        ahead: how many items had been asked for beyond those taken, at most.
        late: how many items were asked for after the consumer had stopped.
        end_s: when the consumer was done.
        timeline: lanes "disk" and "compute", and everybody who waits.
    """

    got: tuple[int, ...]
    is_mixed: bool
    raised: bool
    instead: str
    stuck: str
    waiting: tuple[tuple[str, str], ...]
    left: tuple[tuple[str, str], ...]
    ahead: int
    late: int
    end_s: float
    timeline: Timeline


class _LimitedClock(VirtualClock):
    """A clock that is stopped where somebody looks again and again for what never comes."""

    limit_s = LIMIT_S

    def step(self, last_s: float = float("inf")) -> bool:
        if self.now() > self.limit_s:
            told = "; ".join(f"{one.name} waits for {one.what}" for one in self.waiting())
            raise DeadlockError(
                f"after {self.limit_s:g} simulated seconds it still was not done: {told}"
                if told
                else f"after {self.limit_s:g} simulated seconds it still was not done",
                waiting=self.waiting(),
            )
        return super().step(last_s)

    def pass_alone(self, time_s: float, what: str, kind: str | None = "wait") -> bool:
        return self.now() + time_s <= self.limit_s and super().pass_alone(time_s, what, kind)


def watch(prefetch: Callable[..., Any], wanted: Wanted) -> Watched:
    """Run a prefetcher on the simulated clock.

    What the prefetcher itself raises comes out of here; AnswerError where it gives no iterator.
    """
    with _LimitedClock(seed=wanted.seed) as clock, lend(prefetch):
        run = _Run(clock, wanted)
        stuck, waiting = "", ()
        try:
            run.consume(prefetch)
        except DeadlockError as deadlock:
            stuck = deadlock.message
            waiting = tuple((one.name, one.what) for one in deadlock.waiting)
            run.give_up()
        end_s = clock.now()
        clock.limit_s = end_s + 2 * _SETTLE_S
        left = () if stuck else tuple((one.name, one.what) for one in clock.settle(_SETTLE_S))
        return replace(
            run.result(end_s), stuck=stuck, waiting=waiting, left=left, timeline=clock.timeline
        )


def watch_for_real(prefetch: Callable[..., Any], wanted: Wanted, limit_s: float) -> Watched:
    """The same on the clock of this machine, with real threads and sleeps.

    The consumer runs in a thread of its own. AnswerError where it is not done after ``limit_s``
    real seconds: then its threads are left waiting. ``left`` names threads that still run a
    little after the end. What the prefetcher itself raises comes out of here.
    """
    clock, before, faults = WallClock(), set(threading.enumerate()), []
    run = _Run(clock, wanted)

    def consume() -> None:
        try:
            run.consume(prefetch)
        except BaseException as fault:
            faults.append(fault)
        run.end_s = clock.now()

    consumer = threading.Thread(target=consume, name="main", daemon=True)
    consumer.start()
    consumer.join(limit_s)
    if consumer.is_alive():
        raise AnswerError(
            f"with real threads it hangs: it was not done after {limit_s:g} seconds",
            remedy="Who waits for whom, where the consumer stops while the thread waits in `put`?",
        )
    if faults:
        raise faults[0]
    made = set(threading.enumerate()) - before
    for thread in made:
        thread.join(_LINGER_S)
    left = tuple((one.name, "something") for one in made if one.is_alive())
    return replace(run.result(run.end_s), left=left)


class _Shut:
    """A source that cannot be opened."""

    def __init__(self, fault: BaseException) -> None:
        self.fault = fault

    def __iter__(self) -> Iterator[Any]:
        raise self.fault

    __next__ = __iter__


class _Run:
    """A source, a consumer, and the account of both."""

    def __init__(self, clock: VirtualClock | WallClock, wanted: Wanted) -> None:
        self.clock, self.wanted = clock, wanted
        count = len(wanted.reads_s)
        self.items = list(range(count)) if wanted.items is None else list(wanted.items)
        faults = {} if wanted.fault_at is None else {wanted.fault_at: wanted.fault}
        self.disk = SlowDisk(clock, self.items, wanted.reads_s, faults=faults)
        self.got: list[int] = []
        self.others = [f"other {i}" for i in range(count)]
        self.is_mixed, self.beside = False, iter(())
        self.raised, self.instead = False, ""
        self.ahead = self.asked_in_time = 0
        self.end_s = 0.0

    def source(self) -> Iterator[Any]:
        """The items, read one after the other in whatever thread asks."""
        for index in range(len(self.items)):
            self.ahead = max(self.ahead, index + 1 - len(self.got))
            yield self.disk.read(index)

    def consume(self, prefetch: Callable[..., Any]) -> None:
        """Take the items and compute with each, until the end, the fault, or enough of them."""
        items: Iterator[Any] = iter(())
        source = _Shut(self.wanted.fault) if self.wanted.is_shut else self.source()
        try:
            items = _iterator_of(prefetch(source, self.wanted.depth))
            if self.wanted.is_beside:
                self.beside = _iterator_of(prefetch(iter(self.others), self.wanted.depth))
            self._take_all(items)
        except DeadlockError:
            raise
        except (Exception, SystemExit) as fault:
            self.raised = fault is self.wanted.fault
            if not self.raised:
                if not self._knows(fault):
                    raise
                self.instead = type(fault).__name__
        self.asked_in_time = len(self.disk.asked)
        for one in (items, self.beside):
            if hasattr(one, "close"):
                self._close(one)
        let_go(items)

    def _close(self, iterator: Any) -> None:
        """The loop is over: here the source's exception may come out, or not."""
        try:
            iterator.close()
        except DeadlockError:
            raise
        except (Exception, SystemExit) as fault:
            if not self._knows(fault):
                raise

    def give_up(self) -> None:
        """Close the other call's iterator while the clock is there, which it may wait on."""
        if hasattr(self.beside, "close"):
            with suppress(DeadlockError):
                self.beside.close()

    def _knows(self, fault: BaseException) -> bool:
        """Whether it was raised from the source's exception, or is a copy of it or an item."""
        wanted = self.wanted.fault
        of_source = any(one is wanted for one in (fault, fault.__cause__, fault.__context__))
        of_source = of_source or (type(fault) is type(wanted) and fault.args == wanted.args)
        return of_source or any(fault is one for one in self.items)

    def _take_all(self, items: Iterator[Any]) -> None:
        most = self.wanted.stop_after
        others = iter(self.others if self.wanted.is_beside else ())
        for item in items:
            self.is_mixed |= next(self.beside, None) is not next(others, None)
            self.got.append(next((i for i, one in enumerate(self.items) if one is item), -1))
            place = min(len(self.got), len(self.items)) - 1
            began_s = self.clock.now()
            self.clock.work(
                self.wanted.steps_s[place], "kernel", lane="compute", label=str(self.got[-1])
            )
            self.clock.record("main", "wait", began_s, self.clock.now(), "the step")
            if len(self.got) == most or len(self.got) > len(self.items):
                return

    def result(self, end_s: float) -> Watched:
        """The account up to now."""
        late = len(self.disk.asked) - self.asked_in_time
        return Watched(
            tuple(self.got),
            self.is_mixed,
            self.raised,
            self.instead,
            "",
            (),
            (),
            self.ahead,
            late,
            end_s,
            self.clock.timeline,
        )


def _iterator_of(given: Any) -> Iterator[Any]:
    try:
        return iter(given)
    except TypeError:
        raise AnswerError(
            f"prefetch should give an iterator, got {describe(given)}",
            remedy="A function with `yield` in it does.",
        ) from None
