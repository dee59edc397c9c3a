"""Locks, conditions, events, semaphores and barriers between threads of a virtual clock."""

from __future__ import annotations

import threading as real
from collections.abc import Callable
from types import TracebackType
from typing import Any

from gpuedu.clock.processes import current
from gpuedu.clock.standins.waiting import Deadline, WaitQueue

BrokenBarrierError = real.BrokenBarrierError


class Semaphore:
    """A number of places that threads take and give back."""

    def __init__(self, value: int = 1) -> None:
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        self._value = value
        self._waiting = WaitQueue(self._wanted)

    def _wanted(self) -> str:
        return "a place of a semaphore"

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        """Take a place; False if there is none in time."""
        if not blocking and timeout is not None:
            raise ValueError("can't specify timeout for non-blocking acquire")
        if not self._waiting.wait_until(lambda: self._value > 0, timeout if blocking else 0.0):
            return False
        self._value -= 1
        return True

    __enter__ = acquire

    def release(self, n: int = 1) -> None:
        """Give ``n`` places back."""
        if n < 1:
            raise ValueError("n must be one or more")
        self._value += n
        self._waiting.wake(n)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


class BoundedSemaphore(Semaphore):
    """A semaphore that refuses to take back more places than it had."""

    def __init__(self, value: int = 1) -> None:
        super().__init__(value)
        self._most = value

    def release(self, n: int = 1) -> None:
        """Give ``n`` places back; ValueError if they were not taken."""
        if self._value + n > self._most:
            raise ValueError("Semaphore released too many times")
        super().release(n)


class Lock:
    """A lock that one thread holds at a time."""

    def __init__(self) -> None:
        self._holder = ""
        self._waiting = WaitQueue(lambda: f"a lock that {self._holder} holds")

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock; False if it is not free in time."""
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        limit_s = 0.0 if not blocking else None if timeout == -1 else timeout
        if not self._waiting.wait_until(lambda: not self._holder, limit_s):
            return False
        self._holder = current().name
        return True

    __enter__ = acquire

    def release(self) -> None:
        """Let another thread take it; RuntimeError if nobody holds it."""
        if not self._holder:
            raise RuntimeError("release unlocked lock")
        self._holder = ""
        self._waiting.wake()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def locked(self) -> bool:
        """True if somebody holds it."""
        current().clock.glance()
        return bool(self._holder)


class RLock(Lock):
    """A lock that its holder may take again."""

    def __init__(self) -> None:
        super().__init__()
        self._owner, self._depth = 0, 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock, again if this thread already holds it."""
        if self._owner != real.get_ident():
            if not super().acquire(blocking, timeout):
                return False
            self._owner = real.get_ident()
        self._depth += 1
        return True

    __enter__ = acquire

    def release(self) -> None:
        """Give it back once; RuntimeError in a thread that does not hold it."""
        if self._owner != real.get_ident():
            raise RuntimeError("cannot release un-acquired lock")
        self._depth -= 1
        if not self._depth:
            self._owner = 0
            super().release()

    def is_mine(self) -> bool:
        """True if the calling thread holds it."""
        return self._owner == real.get_ident()


class Condition:
    """Threads that wait, with a lock, until another says that something changed."""

    def __init__(self, lock: Lock | None = None) -> None:
        self._lock = RLock() if lock is None else lock
        self._waiting = WaitQueue(lambda: "a condition to be notified")
        self.acquire, self.release = self._lock.acquire, self._lock.release

    def __enter__(self) -> bool:
        return self._lock.acquire()

    def __exit__(self, *exception: object) -> None:
        self._lock.release()

    def _require_lock(self, doing: str) -> None:
        mine = self._lock.is_mine() if isinstance(self._lock, RLock) else self._lock.locked()
        if not mine:
            raise RuntimeError(f"cannot {doing} on un-acquired lock")

    def wait(self, timeout: float | None = None) -> bool:
        """Release the lock until notified, then take it again; False after ``timeout`` seconds."""
        self._require_lock("wait")
        depth = self._lock._depth if isinstance(self._lock, RLock) else 1
        for _ in range(depth):
            self._lock.release()
        try:
            return self._waiting.wait(timeout)
        finally:
            for _ in range(depth):
                self._lock.acquire()

    def wait_for(self, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
        """Wait until ``predicate()`` is true and return its value, at most ``timeout`` seconds."""
        deadline = Deadline(timeout)
        while not (result := predicate()) and not deadline.has_passed:
            self.wait(deadline.left_s)
        return result

    def notify(self, n: int = 1) -> None:
        """Wake ``n`` threads."""
        self._require_lock("notify")
        self._waiting.wake(n)

    def notify_all(self) -> None:
        """Wake all."""
        self._require_lock("notify")
        self._waiting.wake_all()


class Event:
    """A flag that threads wait for."""

    def __init__(self) -> None:
        self._flag = False
        self._waiting = WaitQueue(lambda: "an event to be set")

    def is_set(self) -> bool:
        """True if the flag is up."""
        current().clock.glance()
        return self._flag

    def set(self) -> None:
        """Raise the flag; all waiting threads go on."""
        self._flag = True
        self._waiting.wake_all()

    def clear(self) -> None:
        """Take the flag down."""
        self._flag = False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the flag, at most ``timeout`` seconds; returns whether it was raised."""
        if self._flag:
            return True
        if timeout is not None and timeout <= 0:
            current().clock.glance()
            return self._flag
        return self._waiting.wait(timeout) or self._flag


class Barrier:
    """``parties`` threads wait for each other, again and again."""

    def __init__(
        self,
        parties: int,
        action: Callable[[], Any] | None = None,
        timeout: float | None = None,
    ) -> None:
        if parties < 1:
            raise ValueError("parties must be > 0")
        self.parties = parties
        self.n_waiting = 0
        self.broken = False
        self._action, self._timeout = action, timeout
        self._waiting = WaitQueue(
            lambda: f"a barrier that {self.n_waiting} of {self.parties} threads have reached"
        )

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the others; returns this thread's place on arrival, counted down to 0."""
        if self.broken:
            raise BrokenBarrierError
        self.n_waiting += 1
        place = self.parties - self.n_waiting
        if place == 0:
            self.n_waiting = 0
            if self._action is not None:
                self._action()
            self._waiting.wake_all()
            return 0
        if not self._waiting.wait(self._timeout if timeout is None else timeout):
            self.abort()
        if self.broken:
            raise BrokenBarrierError
        return place

    def abort(self) -> None:
        """Break it: every waiting thread gets BrokenBarrierError."""
        self.broken = True
        self._waiting.wake_all()

    def reset(self) -> None:
        """Make it whole again."""
        self.broken, self.n_waiting = False, 0
