"""How long something may take on a machine that has other work to do.

A limit by the clock punishes code that had to wait: on a busy machine a right answer would be
called endless. So the time that a thread was ready to run but had no processor does not count here.
"""

from __future__ import annotations

import contextlib
import os
import time

MOST_WAITED = 3.0
"""Waits for a processor are forgiven up to this many limits; then the time is over all the same."""
_MOST_BYTES = 200
"""Three numbers."""


class ThreadTimes:
    """For how long a thread has run and waited, for who asks often: what tells it stays open.

    Args:
        pid: of the thread, or of the process whose main thread it is; by default the calling one.
    """

    def __init__(self, pid: int | None = None) -> None:
        who = "thread-self" if pid is None else str(pid)
        try:
            self._told = os.open(f"/proc/{who}/schedstat", os.O_RDONLY)
        except OSError:
            self._told = -1

    def ran_and_waited_s(self) -> tuple[float, float]:
        """Seconds since it started, running and ready to run; 0 where nothing is told.

        Source: the Linux kernel's documentation, scheduler/sched-stats, "/proc/<pid>/schedstat".
        """
        with contextlib.suppress(OSError, ValueError):
            ran_ns, waited_ns = os.pread(self._told, _MOST_BYTES, 0).split()[:2]
            return int(ran_ns) / 1e9, int(waited_ns) / 1e9
        return 0.0, 0.0

    def close(self) -> None:
        """Look at it no more."""
        if self._told >= 0:
            os.close(self._told)
            self._told = -1


class Allowance:
    """A limit that starts when it is made and grows by every wait for a processor.

    Args:
        limit_s: seconds; ``math.inf`` for none.
        watched: processes, whose main threads are watched, or threads, by number or by what tells
            their times; by default the calling thread. If there are several, they take turns, and
            their waits are added.
        between: a thread that passes their messages on: what it computes does not count either.
    """

    def __init__(
        self, limit_s: float, *watched: int | ThreadTimes, between: ThreadTimes | None = None
    ) -> None:
        self._limit_s, self._watched, self._between = limit_s, watched or (None,), between
        self._began_s, self._waited_s = time.monotonic(), self._waits_s()

    def surely_left_s(self) -> float:
        """What is left of it by the clock alone; once that is nothing, what is left."""
        left_s = self._limit_s - (time.monotonic() - self._began_s)
        return left_s if left_s > 0 else self.left_s()

    def left_s(self) -> float:
        """What is left of it; below 0 when it is over."""
        waited_s = self._waits_s() - self._waited_s
        more_s = min(max(waited_s, 0.0), MOST_WAITED * self._limit_s)
        return self._limit_s + more_s - (time.monotonic() - self._began_s)

    def _waits_s(self) -> float:
        between_s = 0.0 if self._between is None else sum(self._between.ran_and_waited_s())
        return sum(map(_waited_s, self._watched)) + between_s


def _waited_s(watched: int | ThreadTimes | None) -> float:
    if isinstance(watched, ThreadTimes):
        return watched.ran_and_waited_s()[1]
    return waited_for_a_processor_s(watched)


def waited_for_a_processor_s(pid: int | None = None) -> float:
    """How long the calling thread, or the one with this number, was ready to run but did not.

    Since it started; 0 where the system does not say.
    """
    times = ThreadTimes(pid)
    try:
        return times.ran_and_waited_s()[1]
    finally:
        times.close()
