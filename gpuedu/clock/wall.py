"""The real clock, with the interface of the virtual one."""

from __future__ import annotations

import threading
import time

from gpuedu.clock.timeline import Interval, Timeline


class WallClock:
    """Real time, for the same code and the same slow disk as on a :class:`VirtualClock`.

    For showing, never for judging: what it measures depends on the machine and its other work.
    """

    def __init__(self) -> None:
        self._began_s = time.perf_counter()
        self._intervals: list[Interval] = []

    def now(self) -> float:
        """Seconds since the clock was made."""
        return time.perf_counter() - self._began_s

    def sleep(self, time_s: float) -> None:
        """Wait, for real."""
        time.sleep(time_s)

    def work(
        self, time_s: float, kind: str = "work", *, lane: str | None = None, label: str = ""
    ) -> None:
        """Wait as if working, recorded on ``lane`` (the thread's name)."""
        began_s = self.now()
        time.sleep(time_s)
        self.record(lane or _name(), kind, began_s, self.now(), label)

    def places(self, count: int) -> threading.Semaphore:
        """``count`` places that threads take with ``with``."""
        return threading.Semaphore(count)

    def record(self, lane: str, kind: str, start_s: float, end_s: float, label: str = "") -> None:
        """Put an interval on the timeline."""
        self._intervals.append(Interval(lane, kind, start_s, end_s, label))

    @property
    def timeline(self) -> Timeline:
        """Everything that was recorded up to now."""
        return Timeline.of(self._intervals)

    def __enter__(self) -> WallClock:
        return self

    def __exit__(self, *exception: object) -> None:
        """Nothing to end: real threads go on."""


def _name() -> str:
    """The thread's name, "main" for the main one, as on the virtual clock."""
    thread = threading.current_thread()
    return "main" if thread is threading.main_thread() else thread.name
