"""The learner's side of a simulated clock: threads that run here, and wait there.

``gpuedu.clock.standins`` works on it as on a clock of this process. All threads share the line to
the device, and one runs at a time: who receives a message for another hands it over, and sleeps
until there is one for itself.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any, Protocol

from gpuedu.clock.processes import Abandoned, current, take_leave, take_part
from gpuedu.clock.virtual import FREE_GLANCES, GLANCE_S

MAIN = 0
_NS = 1_000_000_000
_JOIN_S = 0.1
_ENOUGH = 1000
"""After so many refusals a thread that does not end is left asleep."""


class Line(Protocol):
    """The line to the device, as a clock uses it."""

    def act(self, name: str, args: list) -> Any:
        """Ask the clock for something."""

    def end_thread(self, fault: BaseException | None) -> Any:
        """Say that the calling thread has ended; the next message, whoever it is for."""


class RemoteMoment:
    """A moment of the clock; ``value`` is known to who has waited for it."""

    def __init__(self, clock: RemoteClock, number: int, what: str) -> None:
        self._clock, self.number, self.what = clock, number, what
        self._has_happened = False

    @property
    def happened(self) -> bool:
        """Whether it has happened."""
        self._has_happened = self._has_happened or self._clock.act("happened", self.number)
        return self._has_happened

    def happen(self, value: Any = None) -> bool:
        """Let those who wait go on; False, and nothing else, the second time."""
        return self._clock.act("happen", self.number, value)


class RemoteProcess:
    """A thread of this process that takes part in the clock.

    ``owes`` is how many looks it made that the clock does not know of, and ``may_owe`` how many of
    those there may be: as long as nobody else goes on. ``now_s`` is the time without these looks,
    where it is known.
    """

    def goes_on(self) -> None:
        """Time may have passed."""
        self.now_s, self.glances, self.may_owe = None, 0, 0

    def __init__(self, clock: RemoteClock, name: str, number: int) -> None:
        self.clock, self.name, self.number, self.glances = clock, name, number, 0
        self.owes = self.may_owe = 0
        self.now_s: float | None = None


class RemoteClock:
    """The clock, with what stand-ins ask of one; made by the thread that is called from there.

    Args:
        line: to the device.
        number: tells one clock from the next.
    """

    def __init__(self, line: Line, number: int) -> None:
        self._line, self.number = line, number
        self.threads_made, self.is_closed, self._refusals = 0, False, 0
        self._boxes: dict[int, queue.SimpleQueue] = {MAIN: queue.SimpleQueue()}
        self._threads: dict[int, threading.Thread] = {}
        take_part(RemoteProcess(self, "main", MAIN))

    # What stand-ins call

    def now(self) -> float:
        """Seconds since the clock was made."""
        process = current(self)
        if process.now_s is None:
            process.now_s = self._ask("now")
        return (round(process.now_s * _NS) + process.owes * round(GLANCE_S * _NS)) / _NS

    def moment(self, what: str = "something to happen") -> RemoteMoment:
        """A moment that happens when its ``happen`` is called."""
        return RemoteMoment(self, self.act("moment", what), what)

    def alarm(self, moment: RemoteMoment, delay_s: float, value: Any = None) -> None:
        """Let ``moment`` happen ``delay_s`` seconds from now, unless it has happened before."""
        self.act("alarm", moment.number, float(delay_s), value)

    def wait(self, moment: RemoteMoment) -> Any:
        """Wait in the calling thread until ``moment`` happens, and return its value."""
        value, has_passed = self.act("wait", moment.number)
        if has_passed:
            current(self).goes_on()
        return value

    def sleep(self, time_s: float) -> None:
        """What ``time.sleep`` does, in simulated time."""
        if time_s == 0:
            self.glance()
        self.act("sleep", time_s)
        if time_s:
            current(self).goes_on()

    def glance(self) -> None:
        """A look at the clock or at a state without waiting."""
        process = current(self)
        process.glances += 1
        if process.glances > FREE_GLANCES:
            process.owes += 1
            if process.owes > process.may_owe:
                self.settle()

    def settle(self) -> None:
        """Tell the clock of all looks: before anything else is asked of anybody."""
        process = current(self)
        if process.owes:
            owed, process.owes = process.owes, 0
            process.may_owe, process.now_s = self._ask("glance", owed)

    def start_thread(self, target: Callable[[], Any], name: str) -> None:
        """Let a function of no arguments run on this clock in a thread of its own."""
        number = self.act("thread", name)
        self._boxes[number] = queue.SimpleQueue()
        body = threading.Thread(
            target=self._live, args=(number, target, name), name=name, daemon=True
        )
        self._threads[number] = body
        body.start()

    def act(self, name: str, *args: Any) -> Any:
        """Ask for something of the clock; ends the thread where that is closed."""
        self.settle()
        current(self).may_owe = 0
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
        """The message for thread ``mine``, where another may have come first."""
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
