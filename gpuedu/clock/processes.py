"""The participants of a virtual clock: generators, threads, and the thread that opened it.

Threads hand a baton around: a thread runs only between ``resume``, which the thread that drives the
clock calls, and its next ``block``. The driver is the thread that opened the clock, while it is
itself waiting. So exactly one thread on a clock runs at any time, though they are real threads.
"""

from __future__ import annotations

import contextlib
import ctypes
import queue
import sys
import threading
import time
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from gpuedu.clock.moments import Moment, Waiting
from gpuedu.errors import ClockError
from gpuedu.interrupts import interruptible, may_land, unbroken

if TYPE_CHECKING:
    from gpuedu.clock.virtual import VirtualClock

_BY_THREAD: dict[int, Guest | ThreadProcess] = {}
"""Threads on a clock, by identity."""
_LOOK_S = 0.05
"""How often a waiting driver looks up, so that an interruption by another thread reaches it."""
_ENOUGH = 1000
"""After so many refusals an abandoned thread that does not end is left asleep."""


_IMPORT_S = 20.0
"""How long an import in an abandoned thread may take."""


class Abandoned(BaseException):
    """Raised in a waiting thread whose clock was closed; it ends the thread."""


class Process:
    """A participant. ``ended`` happens with its result; ``fault`` is what ended a thread."""

    def __init__(self, clock: VirtualClock, name: str, *, is_server: bool = False) -> None:
        self.clock = clock
        self.name = name
        self.is_server = is_server
        self.ended = clock.moment(f"the end of {name}")
        self.fault: BaseException | None = None
        self.waits_for: Waiting | None = None
        self.glances = 0

    @property
    def has_ended(self) -> bool:
        """Whether it is over."""
        return self.ended.happened

    def resume(self) -> None:
        """Go on until it waits again or ends."""
        raise NotImplementedError

    def abandon(self) -> None:
        """End it: the clock is closed."""


class Steps(Process):
    """A generator that yields the moments it waits for. What it raises reaches the driver."""

    def __init__(
        self,
        clock: VirtualClock,
        name: str,
        steps: Generator[Moment, Any, Any],
        *,
        is_server: bool = False,
    ) -> None:
        super().__init__(clock, name, is_server=is_server)
        self._steps = steps
        self._moment: Moment | None = None

    def resume(self) -> None:
        """Send it the value of its moment, until it yields one that has not happened."""
        while True:
            value = self._moment.value if self._moment is not None else None
            try:
                self._moment = self._steps.send(value)
            except StopIteration as end:
                self.ended.happen(end.value)
                return
            if not isinstance(self._moment, Moment):
                raise ClockError(f"{self.name} yielded {self._moment!r}, which is not a moment")
            if not self._moment.happened:
                self._moment.let_wait(self)
                return

    @interruptible
    def abandon(self) -> None:
        """Close the generator."""
        self._steps.close()


class Guest(Process):
    """The thread that opened the clock. While it waits, it drives the others."""

    def __init__(self, clock: VirtualClock, name: str) -> None:
        super().__init__(clock, name)
        self._thread = threading.get_ident()
        if self._thread in _BY_THREAD:
            raise ClockError("this thread is on a simulated clock already")
        self._is_awake = True
        _BY_THREAD[self._thread] = self

    def block(self, moment: Moment) -> None:
        """Drive the clock until ``moment`` happens; DeadlockError if it never will."""
        self._is_awake = False
        moment.let_wait(self)
        while not (self._is_awake and moment.happened):
            if not self.clock.step():
                deadlock = self.clock.deadlock()
                self.waits_for = None
                raise deadlock

    def resume(self) -> None:
        """It goes on after the step that does this."""
        self._is_awake = True

    def leave(self) -> None:
        """The thread is a plain one again."""
        _BY_THREAD.pop(self._thread, None)


class ThreadProcess(Process):
    """A function that runs in a real thread, while it holds the baton."""

    def __init__(
        self,
        clock: VirtualClock,
        name: str,
        target: Callable[[], Any],
        *,
        is_server: bool = False,
    ) -> None:
        super().__init__(clock, name, is_server=is_server)
        self._target = target
        # Not semaphores: an interruption may land between one's lock and its `with` block, and
        # whoever gives the baton back would wait for that lock for ever.
        self._go: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._back: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._body, name=name, daemon=True)
        self._is_running = False
        self._refusals = 0

    @unbroken
    def resume(self) -> None:
        """Hand over the baton and wait until it comes back."""
        self._is_running = True
        try:
            if self._thread.ident is None:
                self._thread.start()
            else:
                self._go.put(None)
            self._await_baton()
        except BaseException:
            # The driver is interrupted while this thread runs: from here on nobody may go on.
            self.clock.close()
            raise
        self._is_running = False

    @interruptible
    def _await_baton(self) -> None:
        while True:
            with contextlib.suppress(queue.Empty):
                return self._back.get(timeout=_LOOK_S)

    def block(self, moment: Moment) -> None:
        """Give the baton back until ``moment`` happens."""
        self.refuse_if_closed()
        moment.let_wait(self)
        self._back.put(None)
        self._go.get()
        self.refuse_if_closed()

    def _body(self) -> None:
        _BY_THREAD[threading.get_ident()] = self
        result = None
        try:
            result = self._target()
        except (Abandoned, SystemExit):
            pass
        except BaseException as fault:
            self.fault = fault
        finally:
            del _BY_THREAD[threading.get_ident()]
            self.ended.happen(result)
            self._back.put(None)

    def refuse_if_closed(self) -> None:
        """Raise Abandoned if the clock is closed."""
        if not self.clock.is_closed:
            return
        self._refusals += 1
        if self._refusals > _ENOUGH:
            threading.Event().wait()
        raise Abandoned

    def abandon(self) -> None:
        """End the thread: where it waits, or at its next line if it was running."""
        if self.has_ended or self._thread.ident is None:
            return
        if self._is_running:
            self._await_import()
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread.ident), ctypes.py_object(Abandoned)
            )
        else:
            self._go.put(None)
            self._thread.join(timeout=0.1)

    def _await_import(self) -> None:
        """Let it finish an import, which could not be made again after half of it."""
        end_s = time.monotonic() + _IMPORT_S
        while not may_land(sys._current_frames().get(self._thread.ident or 0)):
            if self.has_ended or time.monotonic() > end_s:
                return
            time.sleep(_LOOK_S / 10)


def take_part(process: Any) -> None:
    """Make the calling thread a process of a clock that is elsewhere."""
    _BY_THREAD[threading.get_ident()] = process


def take_leave() -> None:
    """Make the calling thread a plain one again."""
    _BY_THREAD.pop(threading.get_ident(), None)


def current(clock: VirtualClock | None = None) -> Guest | ThreadProcess:
    """The calling thread's process, on ``clock`` if one is given; ClockError if there is none."""
    process = _BY_THREAD.get(threading.get_ident())
    if process is None or clock not in (None, process.clock):
        raise ClockError(
            f"thread {threading.current_thread().name!r} is not on the simulated clock",
            remedy="Start threads with `threading.Thread`: the clock knows those.",
        )
    if isinstance(process, ThreadProcess):
        process.refuse_if_closed()
    return process
