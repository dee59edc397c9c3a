"""A virtual clock: time that moves only when every participant is waiting.

A participant is a process: a generator that yields the moments it waits for, or a thread that calls
:meth:`VirtualClock.wait`. Only one process runs at a time, and it runs until it waits; when all
wait, time jumps to the next thing that is due. So a run is the same on every machine, however busy,
and "this took 30 ms" is exact.

What it simplifies: computing costs no time unless :meth:`VirtualClock.work` says so, and a process
is never interrupted between two waits. Times are rounded to whole nanoseconds (at least one,
for what is not 0), so that sums are exact and equal times are equal.
"""

from __future__ import annotations

import contextlib
import heapq
import math
import random
from collections.abc import Generator
from types import TracebackType
from typing import Any

from gpuedu.clock.moments import Moment, Waiting
from gpuedu.clock.processes import Guest, Process, Steps, ThreadProcess, current
from gpuedu.clock.standins.locks import Semaphore
from gpuedu.clock.timeline import Interval, Timeline
from gpuedu.errors import ClockError, DeadlockError
from gpuedu.interrupts import unbroken

_NS = 1_000_000_000
_MOST_STEPS = 100_000
_ALONE_STEPS = 2
"""Of a wait: its moment happens, and who waited goes on."""
_SLEEP = "its sleep to end"
FREE_GLANCES = 100
GLANCE_S = 10e-6
"""A process that looks again and again without waiting (``while queue.empty(): pass``) looks
``FREE_GLANCES`` times at no cost; then each look costs this, so that time goes on."""


class VirtualClock:
    """A clock that generators and threads share.

    ``with clock:`` makes the calling thread a process named "main", which may wait; without it,
    :meth:`run` runs generators alone. At the end of the ``with`` every thread that is still alive
    is ended.

    Args:
        seed: processes that may go on at the same instant do so in the order in which they were
            woken, or, with a seed, in an order drawn from it, which is another legal run.

    >>> clock = VirtualClock()
    >>> def blink(times):
    ...     for _ in range(times):
    ...         yield clock.after(0.1)
    >>> _ = clock.start(blink(3), "lamp")
    >>> clock.run()
    0.3
    """

    def __init__(self, *, seed: int | None = None) -> None:
        self._tick = 0
        self._due: list[tuple[int, float, int, Moment | Process, Any]] = []
        self._count = 0
        self._shuffle = None if seed is None else random.Random(seed)
        self._processes: list[Process] = []
        self._intervals: list[Interval] = []
        self._guest: Guest | None = None
        self._last_s, self._steps_left = math.inf, math.inf
        self.is_closed = False
        self.threads_made = 0

    # Time

    def now(self) -> float:
        """Seconds since the clock was made."""
        return self._tick / _NS

    def moment(self, what: str = "something to happen") -> Moment:
        """A moment that happens when its ``happen`` is called; ``what`` names it in a report."""
        return Moment(self, what)

    def after(self, delay_s: float, what: str = "time to pass") -> Moment:
        """A moment that happens ``delay_s`` seconds from now; ClockError for a negative delay."""
        moment = Moment(self, what)
        self.alarm(moment, delay_s)
        return moment

    def lull(self, what: str = "the others of this instant") -> Moment:
        """A moment that happens at this instant, after everything else that is due."""
        moment = Moment(self, what)
        self._enter(self._tick, moment, None, is_last=True)
        return moment

    def alarm(self, moment: Moment, delay_s: float, value: Any = None) -> None:
        """Let ``moment`` happen ``delay_s`` seconds from now, unless it has happened before."""
        self._enter(self._tick + ticks_of(delay_s), moment, value)

    # Processes

    def start(
        self, steps: Generator[Moment, Any, Any], name: str, *, is_server: bool = False
    ) -> Process:
        """Let a generator run on this clock, from now on.

        It yields moments and gets their values; its return value is that of ``process.ended``. A
        server may wait forever.
        """
        process = Steps(self, name, steps, is_server=is_server)
        self._processes.append(process)
        self.wake(process)
        return process

    def start_thread(self, target: Any, name: str, *, is_server: bool = False) -> Process:
        """Let a function of no arguments run on this clock in its own thread, from now on."""
        process = ThreadProcess(self, name, target, is_server=is_server)
        self._processes.append(process)
        self.wake(process)
        return process

    def wait(
        self, moment: Moment, *, kind: str | None = "wait", limit_s: float | None = None
    ) -> Any:
        """Wait in the calling thread until ``moment`` happens, and return its value.

        With a limit it happens by then at the latest, with the value False. The time is recorded on
        the lane of the thread as ``kind``; None records nothing. Raises DeadlockError in the main
        thread if that would last forever, ClockError in a thread that is not on this clock.
        """
        process = current(self)
        if limit_s is not None:
            self.alarm(moment, limit_s, value=False)
        began_s = self.now()
        if not moment.happened:
            process.block(moment)
        if self.now() > began_s:
            process.glances = 0
            if kind is not None:
                self.record(process.name, kind, began_s, self.now(), moment.what)
        return moment.value

    def pass_alone(self, time_s: float, what: str, kind: str | None = "wait") -> bool:
        """Let time pass in the calling thread if nothing else runs meanwhile; returns if it did.

        It is as if the thread had waited for a moment that far ahead, but without the cost of
        handing over to others: for a thread that polls.
        """
        process = current(self)
        ticks = ticks_of(time_s)
        ends_s = (self._tick + ticks) / _NS
        if not ends_s < self.next_due_s() or ends_s > self._last_s:
            return False
        if self._steps_left < _ALONE_STEPS:
            return False
        self._steps_left -= _ALONE_STEPS
        for _ in range(_ALONE_STEPS):  # each would have had a place among what is due
            self._next_place()
        began_s = self.now()
        self._tick += ticks
        if ticks:
            process.glances = 0
            if kind is not None:
                self.record(process.name, kind, began_s, self.now(), what)
        return True

    def sleep(self, time_s: float) -> None:
        """What ``time.sleep`` does, in simulated time."""
        if time_s == 0:
            self.glance()
        if not self.pass_alone(time_s, _SLEEP, "sleep"):
            self.wait(self.after(time_s, _SLEEP), kind="sleep")

    def work(
        self, time_s: float, kind: str = "work", *, lane: str | None = None, label: str = ""
    ) -> None:
        """Make the calling thread spend ``time_s`` seconds, recorded on ``lane`` (its own)."""
        began_s = self.now()
        self.wait(self.after(time_s, "its work to end"), kind=None)
        self.record(lane or current(self).name, kind, began_s, self.now(), label)

    def glance(self) -> None:
        """Look at the clock or at a state without waiting; see ``GLANCE_S``."""
        process = current(self)
        process.glances += 1
        if process.glances > FREE_GLANCES:
            looked = process.glances
            if not self.pass_alone(GLANCE_S, "time to pass", kind=None):
                self.wait(self.after(GLANCE_S), kind=None)
            process.glances = looked

    def places(self, count: int) -> Semaphore:
        """``count`` places that threads take with ``with``; generators take a Resource."""
        return Semaphore(count)

    def run(self) -> float:
        """Go on until nothing is due and return the time; DeadlockError if any process waits."""
        while self.step():
            pass
        if self.waiting():
            raise self.deadlock()
        return self.now()

    def settle(self, limit_s: float = 60.0) -> tuple[Waiting, ...]:
        """Let the others finish, for at most ``limit_s`` simulated seconds; returns who is left.

        For the end of a run, called by the thread that opened the clock: a worker that was told to
        stop does so, and one that was forgotten is named with what it waits for.
        """
        last_s = self.now() + limit_s
        self._steps_left = _MOST_STEPS
        while self._steps_left > 0 and self.step(last_s):
            pass
        self._steps_left = math.inf
        return self.waiting()

    # What can be asked

    def next_due_s(self) -> float:
        """When the next thing is due, which may let another go on; inf if nothing is."""
        return self._due[0][0] / _NS if self._due else math.inf

    def waiting(self) -> tuple[Waiting, ...]:
        """The waiting processes, without servers and the calling thread, in starting order."""
        alive = (one for one in self._processes if not one.is_server and not one.has_ended)
        return tuple(one.waits_for or Waiting(one.name, "its turn", self.now()) for one in alive)

    @property
    def failures(self) -> tuple[tuple[str, BaseException], ...]:
        """Threads that ended with an exception, each with its name."""
        return tuple((one.name, one.fault) for one in self._processes if one.fault is not None)

    def record(self, lane: str, kind: str, start_s: float, end_s: float, label: str = "") -> None:
        """Put an interval on the timeline."""
        self._intervals.append(Interval(lane, kind, start_s, end_s, label))

    @property
    def timeline(self) -> Timeline:
        """Everything that was recorded up to now."""
        return Timeline.of(self._intervals)

    # The machinery, for processes

    def wake(self, process: Process) -> None:
        """Let a process go on at this instant, after those that were woken before it."""
        if not self.is_closed:
            self._enter(self._tick, process, None)

    def _enter(
        self, tick: int, what: Moment | Process, value: Any, *, is_last: bool = False
    ) -> None:
        order, count = self._next_place()
        heapq.heappush(self._due, (tick, math.inf if is_last else order, count, what, value))

    def _next_place(self) -> tuple[float, int]:
        """What tells the next thing that is due from others of its instant."""
        self._count += 1
        return 0.0 if self._shuffle is None else self._shuffle.random(), self._count

    def step(self, last_s: float = float("inf")) -> bool:
        """Do the next thing that is due, not later than ``last_s``; False if there is none."""
        self._last_s = last_s
        self._steps_left -= 1
        while self._due and self._due[0][0] <= last_s * _NS:
            tick, _, _, what, value = heapq.heappop(self._due)
            is_moment = isinstance(what, Moment)
            if is_moment and what.happened:
                continue  # an alarm for what has happened before moves no clock
            self._tick = tick
            if is_moment:
                what.happen(value)
            else:
                what.waits_for = None
                what.resume()
            return True
        return False

    def deadlock(self) -> DeadlockError:
        """The error that says which process waits for what, and which had died before."""
        waiting = list(self.waiting())
        if self._guest is not None and self._guest.waits_for is not None:
            waiting.insert(0, self._guest.waits_for)
        said = [f"{one.name} waits for {one.what}" for one in waiting]
        said += [f"{name} had ended with {_told(fault)}" for name, fault in self.failures]
        return DeadlockError(
            "nobody can go on: " + "; ".join(said),
            waiting=tuple(waiting),
            remedy="For each of them, ask who should end its wait, and whether it still can.",
        )

    def __enter__(self) -> VirtualClock:
        if self._guest is not None or self.is_closed:
            raise ClockError("a simulated clock can be entered once")
        self._guest = Guest(self, "main")
        return self

    @unbroken
    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @unbroken
    def close(self) -> None:
        """End every thread of this clock; it cannot be used after that.

        A generator runs to its end meanwhile and may be interrupted there; the others are ended all
        the same.
        """
        if self.is_closed:
            return
        self.is_closed = True
        if self._guest is not None:
            self._guest.leave()
        with contextlib.ExitStack() as all_of_them:
            for process in reversed(self._processes):
                all_of_them.callback(process.abandon)


def ticks_of(time_s: float) -> int:
    """Nanoseconds; even the shortest time is more than none, so a loop around it ends.

    ClockError for a time that is negative or not finite.

    >>> ticks_of(0), ticks_of(1e-12), ticks_of(2e-6)
    (0, 1, 2000)
    """
    if not 0 <= time_s < math.inf:
        raise ClockError(f"a time to wait must be finite and not negative, got {time_s!r}")
    return max(round(time_s * _NS), 1) if time_s else 0


def _told(fault: BaseException) -> str:
    text = str(fault)
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__
