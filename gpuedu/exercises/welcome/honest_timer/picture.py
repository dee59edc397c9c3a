"""honest-timer: its picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.clock import AsyncDevice
from gpuedu.errors import AnswerError
from gpuedu.figures.timeline import plot_timeline

_TIMED = {
    "warmup": 2,
    "repeats": 4,
    "busy_s": 1.5e-3,
    "launch_s": 2e-4,
    "kernel_times_s": [4e-3, 3e-3, 1.1e-3, 1.0e-3, 2.4e-3, 1.1e-3],
}


class _WatchedDevice(AsyncDevice):
    """A device that also keeps when the clock was read."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.read_at_s: list[float] = []

    def now(self) -> float:
        """The host's clock; the reading is kept."""
        self.read_at_s.append(super().now())
        return self.read_at_s[-1]


def draw_honest_timer(median_time_s: Callable[..., float]) -> Any:
    """What the learner's watch saw of a device that was busy when it began."""
    watched = _WatchedDevice(
        _TIMED["kernel_times_s"], launch_s=_TIMED["launch_s"], busy_s=_TIMED["busy_s"]
    )
    median_time_s(watched.launch, watched.sync, _TIMED["warmup"], _TIMED["repeats"], watched.now)
    readings = watched.read_at_s
    if not readings:
        raise AnswerError("your watch never read `now()`, so it saw nothing")
    spans = list(zip(readings[::2], readings[1::2], strict=False))
    return plot_timeline(watched.events, spans, warmup=_TIMED["warmup"] + 1)


PICTURE = draw_honest_timer
