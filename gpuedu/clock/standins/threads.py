"""What stands in for ``threading``: threads, and what ``locks`` adds to them."""

from __future__ import annotations

import threading as real
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gpuedu.clock.processes import current
from gpuedu.clock.standins.locks import (
    Barrier,
    BoundedSemaphore,
    BrokenBarrierError,
    Condition,
    Event,
    Lock,
    RLock,
    Semaphore,
)
from gpuedu.clock.standins.waiting import WaitQueue

__all__ = [
    "Barrier",
    "BoundedSemaphore",
    "BrokenBarrierError",
    "Condition",
    "Event",
    "Lock",
    "RLock",
    "Semaphore",
    "Thread",
    "ThreadError",
    "current_thread",
    "get_ident",
    "local",
    "main_thread",
]

ThreadError = real.ThreadError
get_ident = real.get_ident
local = real.local
main_thread = real.main_thread
_STANDINS: dict[int, Thread] = {}
"""Threads that run, by identity."""


class Thread:
    """A thread on the virtual clock; ``run`` may be overridden, as in the real one."""

    def __init__(
        self,
        group: None = None,
        target: Callable[..., Any] | None = None,
        name: str | None = None,
        args: Iterable[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        daemon: bool | None = None,
    ) -> None:
        if group is not None:
            raise AssertionError("group argument must be None for now")
        clock = current().clock
        clock.threads_made += 1
        suffix = f" ({target.__name__})" if name is None and hasattr(target, "__name__") else ""
        self.name = str(name or f"Thread-{clock.threads_made}{suffix}")
        self.daemon = bool(daemon)
        self.ident: int | None = None
        self._target, self._args, self._kwargs = target, tuple(args), dict(kwargs or {})
        self._has_started = self._has_ended = False
        self._joiners = WaitQueue(lambda: f"the end of {self.name}")

    def start(self) -> None:
        """Let it run from now on; RuntimeError the second time."""
        if self._has_started:
            raise RuntimeError("threads can only be started once")
        self._has_started = True
        current().clock.start_thread(self._live, self.name)

    def _live(self) -> None:
        self.ident = real.get_ident()
        _STANDINS[self.ident] = self
        try:
            self.run()
        finally:
            del _STANDINS[self.ident]
            self._has_ended = True
            self._joiners.wake_all()

    def run(self) -> None:
        """What the thread does: call the target."""
        if self._target is not None:
            self._target(*self._args, **self._kwargs)

    def join(self, timeout: float | None = None) -> None:
        """Wait until it has ended, or for ``timeout`` seconds."""
        if not self._has_started:
            raise RuntimeError("cannot join thread before it is started")
        if current_thread() is self:
            raise RuntimeError("cannot join current thread")
        self._joiners.wait_until(lambda: self._has_ended, timeout)

    def is_alive(self) -> bool:
        """True if it has started and not ended."""
        current().clock.glance()
        return self._has_started and not self._has_ended


def current_thread() -> Thread | real.Thread:
    """The calling thread; for the one that opened the clock, Python's own object."""
    return _STANDINS.get(real.get_ident()) or real.current_thread()
