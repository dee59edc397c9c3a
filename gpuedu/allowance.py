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


class Allowance:
    """A limit that starts when it is made and grows by every wait for a processor.

    Args:
        limit_s: seconds; ``math.inf`` for none.
        pids: of processes, whose main threads are watched, or of threads; by default the calling
            thread. If there are several, they take turns, and their waits are added.
        between: a thread that passes their messages on: what it computes does not count either.
    """

    def __init__(self, limit_s: float, *pids: int, between: int | None = None) -> None:
        self._limit_s, self._pids, self._between = limit_s, pids or (None,), between
        self._began_s, self._waited_s = time.monotonic(), self._waits_s()

    def left_s(self) -> float:
        """What is left of it; below 0 when it is over."""
        waited_s = self._waits_s() - self._waited_s
        more_s = min(max(waited_s, 0.0), MOST_WAITED * self._limit_s)
        return self._limit_s + more_s - (time.monotonic() - self._began_s)

    def _waits_s(self) -> float:
        between_s = 0.0 if self._between is None else sum(_times_s(self._between))
        return sum(map(waited_for_a_processor_s, self._pids)) + between_s


def waited_for_a_processor_s(pid: int | None = None) -> float:
    """How long the calling thread, or the one with this number, was ready to run but did not.

    Since it started; 0 where the system does not say.
    """
    return _times_s(pid)[1]


def _times_s(pid: int | None) -> tuple[float, float]:
    """For how long a thread has run, and was ready to and did not; 0 where nothing is told.

    Source: the Linux kernel's documentation, scheduler/sched-stats, "/proc/<pid>/schedstat".
    """
    who = "thread-self" if pid is None else str(pid)
    with contextlib.suppress(OSError, ValueError):
        told = os.open(f"/proc/{who}/schedstat", os.O_RDONLY)  # often: by the fastest way
        try:
            ran_ns, waited_ns = os.read(told, _MOST_BYTES).split()[:2]
            return int(ran_ns) / 1e9, int(waited_ns) / 1e9
        finally:
            os.close(told)
    return 0.0, 0.0
