"""A fair share of the processors where no control group gives it: by watched niceness.

All threads computing in a room together weigh about as much as one thread outside it. An
unprivileged process can raise niceness but not lower it, so nothing in a room can escape it.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

LOOK_S = 0.1
_LEVEL = 1.25
"""A thread weighs so many times that of the next nicer one. Source: the Linux kernel's source,
kernel/sched/core.c, "sched_prio_to_weight"."""
_NICEST = 19
_MANY = 2 * (os.cpu_count() or 1)
"""More than so many that compute run only where nobody else wants to. Niceness is not enough there:
it ends at 19, and where the kernel groups processes by session (``sched_autogroup_enabled``) it
counts among those of one session alone."""


@contextlib.contextmanager
def watched(threads: Callable[[], Iterable[int]]) -> Iterator[None]:
    """Keep the computing ones among these threads, whose number may grow, to a fair share.

    Args:
        threads: returns the numbers of the current ones.
    """
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(LOOK_S):
            lower(list(threads()))

    watching = threading.Thread(target=watch, name="a room's share", daemon=True)
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join()


def lower(threads: Iterable[int]) -> None:
    """Make threads nicer, the more of them compute; one alone stays as it is."""
    threads = list(threads)
    computing = sum(map(_computes, threads))
    if computing > 1:
        level = min(math.ceil(math.log(computing, _LEVEL)), _NICEST)
        for thread in threads:
            with contextlib.suppress(OSError):  # it has ended
                if computing > _MANY:
                    os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))
                elif os.getpriority(os.PRIO_PROCESS, thread) < level:
                    os.setpriority(os.PRIO_PROCESS, thread, level)


def _computes(thread: int) -> bool:
    """Whether it runs, or would if it had a processor."""
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{thread}/stat").read_text().rpartition(")")[2].split()[0] == "R"
    return False
