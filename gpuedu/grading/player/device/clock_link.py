"""The learner's side of a simulated clock: threads that run here, and wait there.

``gpuedu.clock.standins`` works on it as on a clock of this process. All threads share the line to
the device, and one runs at a time: a thread that receives a message for another hands it over and
sleeps until there is one for itself.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from gpuedu.clock.processes import Abandoned, current, take_leave, take_part
from gpuedu.clock.virtual import FREE_GLANCES, GLANCE_S, ticks_of
from gpuedu.grading.player.device.clock_server import MOST_PASSED

MAIN = 0
_NS = 1_000_000_000
_LOOK = "time to pass"
_JOIN_S = 0.1
_ENOUGH = 1000
"""After so many refusals a thread that does not end is left asleep."""


class Line(Protocol):
    """The line to the device, as a clock uses it."""

    def act(self, name: str, args: list) -> Any:
        """Ask the clock for something."""

    def end_thread(self, fault: BaseException | None) -> Any:
        """Say that the calling thread has ended; returns the next message, for any thread."""


class RemoteMoment:
    """A moment of the clock, which learns of it when a thread waits for it: then it has a number.

    ``value`` is known to a thread that has waited for it.
    """

    def __init__(self, clock: RemoteClock, what: str) -> None:
        self._clock, self.what = clock, what
        self.number: int | None = None
        self.value: Any = None
        self.has_happened = False

    @property
    def happened(self) -> bool:
        """Whether it has happened."""
        if not self.has_happened and self.number is not None:
            self.has_happened = self._clock.act("happened", self.number)
        return self.has_happened

    def happen(self, value: Any = None) -> bool:
        """Let waiting threads go on; the second time, only return False."""
        if self.has_happened or self.number is not None:
            return not self.has_happened and self._clock.act("happen", self.number, value)
        self.has_happened, self.value = True, value
        return True


class RemoteProcess:
    """A thread of this process that takes part in the clock.

    As long as no other would go on, it lets time pass on its own. ``passed`` says what it did that
    for, by numbers, and ``owes`` are the numbers that the clock does not yet know, in order:
    ``owed`` nanoseconds. ``tick`` is the time without them, and ``free_tick`` the time until which
    no other goes on, if they are known; ``seen_tick`` is the time when it was last known.
    """

    def __init__(self, clock: RemoteClock, name: str, number: int) -> None:
        self.clock, self.name, self.number = clock, name, number
        self.passed: dict[tuple[str, str, float], int] = {}
        self.owes: list[int] = []
        self.owed = self.glances = self.seen_tick = self.free_tick = 0
        self.tick: int | None = None

    def goes_on(self) -> None:
        """Time may have passed."""
        if self.tick is not None:
            self.seen_tick = self.tick + self.owed
        self.tick, self.free_tick = None, 0

    def know(self, now_s: float, free_s: float) -> None:
        """Take what the clock says about the time."""
        self.tick, self.free_tick = round(now_s * _NS), round(free_s * _NS)
        if self.tick > self.seen_tick:
            self.glances = 0

    def is_free_for(self, ticks: int) -> bool:
        """Whether this much time can pass before any other goes on."""
        is_told = self.tick is not None and len(self.owes) < MOST_PASSED
        return is_told and self.tick + self.owed + ticks < self.free_tick

    def owe(self, kind: str, what: str, time_s: float) -> None:
        """Let time pass that the clock has to be told about."""
        self.owed += ticks_of(time_s)
        self.owes.append(self.passed.setdefault((kind, what, time_s), len(self.passed)))

    def settle(self) -> list:
        """Everything the clock has to be told, in its form; from now on it knows that."""
        told = [list(map(list, self.passed)), np.array(self.owes, np.int32)]
        self.goes_on()
        self.passed, self.owes, self.owed = {}, [], 0
        return told


class RemoteClock:
    """The clock, with what stand-ins need from one; made by the thread that is called from there.

    Args:
        line: to the device.
        number: tells one clock from the next.
    """

    def __init__(self, line: Line, number: int) -> None:
        self._line, self.number = line, number
        self.threads_made, self.is_closed, self._refusals = 0, False, 0
        self._moments_told = 0
        self._boxes: dict[int, queue.SimpleQueue] = {MAIN: queue.SimpleQueue()}
        self._threads: dict[int, threading.Thread] = {}
        take_part(RemoteProcess(self, "main", MAIN))

    # What stand-ins call

    def now(self) -> float:
        """Seconds since the clock was made."""
        process = self._in_time()
        return (process.tick + process.owed) / _NS

    def _in_time(self) -> RemoteProcess:
        """The calling thread, which knows what time it is."""
        process = current(self)
        if process.tick is None:
            process.know(*self._ask("now"))
        return process

    def moment(self, what: str = "something to happen") -> RemoteMoment:
        """A moment that happens when its ``happen`` is called."""
        return RemoteMoment(self, what)

    def wait(self, moment: RemoteMoment, *, limit_s: float | None = None) -> Any:
        """Wait in the calling thread until ``moment`` happens, and return its value.

        With a limit it happens by then at the latest, with the value False.
        """
        if not moment.has_happened:
            self.settle()
            process = current(self)
            process.goes_on()
            moment.number, self._moments_told = self._moments_told, self._moments_told + 1
            limit_s = None if limit_s is None else float(limit_s)
            moment.value, *told = self._ask("wait", moment.what, limit_s)
            moment.has_happened = True
            process.know(*told)
        return moment.value

    def pass_alone(self, time_s: float, what: str, kind: str = "wait") -> bool:
        """Let time pass if no other thread goes on meanwhile; returns whether it did."""
        process = current(self)
        if not process.is_free_for(ticks_of(time_s)):
            return False
        process.owe(kind, what, float(time_s))
        if time_s:
            process.glances = 0
        return True

    def sleep(self, time_s: float) -> None:
        """What ``time.sleep`` does, in simulated time."""
        if time_s == 0:
            self.glance()
        if not self.pass_alone(time_s, "its sleep to end", "sleep"):
            self._pass("sleep", "its sleep to end", time_s)

    def glance(self) -> None:
        """Look at the clock or at a state without waiting."""
        process = self._in_time()
        process.glances += 1
        if process.glances > FREE_GLANCES:
            looked = process.glances
            if not self.pass_alone(GLANCE_S, _LOOK, "look"):
                self._pass("look", _LOOK, GLANCE_S)
            process.glances = looked

    def _pass(self, kind: str, what: str, time_s: float) -> None:
        """Let time pass in which others may go on."""
        self.settle()
        process = current(self)
        process.owe(kind, what, float(time_s))
        self.settle()
        if time_s:
            process.glances = 0

    def settle(self) -> None:
        """Tell the clock everything that it does not know, before anything else is asked."""
        process = current(self)
        if process.owes:
            process.know(*self._ask("pass", *process.settle()))

    def start_thread(self, target: Callable[[], Any], name: str) -> None:
        """Let a function of no arguments run on this clock in its own thread."""
        number = self.act("thread", name)
        self._boxes[number] = queue.SimpleQueue()
        body = threading.Thread(
            target=self._live, args=(number, target, name), name=name, daemon=True
        )
        self._threads[number] = body
        body.start()

    def act(self, name: str, *args: Any) -> Any:
        """Ask the clock for something; ends the thread if the clock is closed."""
        self.settle()
        current(self).free_tick = 0
        return self._ask(name, *args)

    def _ask(self, name: str, *args: Any) -> Any:
        if self.is_closed:
            self._refusals += 1
            if self._refusals > _ENOUGH:
                threading.Event().wait()
            raise Abandoned
        return self._line.act(name, list(args))

    # Messages, by thread

    def received(self, message: Any, mine: int) -> Any:
        """The message for thread ``mine``; one for another thread may come first."""
        if _addressed(message) != mine:
            self._hand_over(message)
            message = self._boxes[mine].get()
        if message is None:
            raise Abandoned
        if "do" in message:
            current(self).goes_on()  # the play's own work took time
        return message

    def _hand_over(self, message: Any) -> None:
        self._boxes[_addressed(message)].put(message)

    def _live(self, number: int, target: Callable[[], Any], name: str) -> None:
        """What a thread does: it sleeps until it is told to begin."""
        fault: BaseException | None = None
        if self._boxes[number].get() is None:
            return
        take_part(RemoteProcess(self, name, number))
        try:
            try:
                target()
            except SystemExit:
                pass
            except Abandoned:
                raise
            except BaseException as raised:
                fault = raised
            self.settle()
        except Abandoned:
            return
        finally:
            take_leave()
        message = self._line.end_thread(fault)
        del self._threads[number], self._boxes[number]
        self._hand_over(message)

    def close(self) -> None:
        """End all threads that are left, where they wait."""
        self.is_closed = True
        take_leave()
        for number in list(self._threads):
            self._boxes[number].put(None)
        for thread in list(self._threads.values()):
            thread.join(_JOIN_S)


def _addressed(message: Any) -> int:
    """Which thread a message is for; one that asks for something new is for the first."""
    answer = message.get("answer")
    return answer.get("to", MAIN) if type(answer) is dict else MAIN
