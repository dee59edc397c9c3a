"""Honest real timing: warm up, wait for the device, repeat, and keep every time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Times of the repeats, in seconds, in the order they were taken."""

    times_s: tuple[float, ...]

    @property
    def median_s(self) -> float:
        """The median, which one disturbed run does not move."""
        return statistics.median(self.times_s)

    @property
    def spread_s(self) -> float:
        """From the first to the third quartile; 0 for a single time.

        >>> Timing((1.0, 2.0, 3.0, 4.0, 5.0)).spread_s
        2.0
        """
        if len(self.times_s) < 2:
            return 0.0
        first, _, third = statistics.quantiles(self.times_s, n=4, method="inclusive")
        return third - first


def time_launch(
    launch: Callable[[], object],
    sync: Callable[[], object] = lambda: None,
    *,
    warmup: int = 1,
    budget_s: float = 0.3,
    most: int = 30,
) -> Timing:
    """Time ``launch`` until the budget is spent, at least 3 and at most ``most`` times.

    ``sync`` waits for the device; the default suits code that runs on the host.
    """
    for _ in range(warmup):
        launch()
    sync()
    times: list[float] = []
    deadline_s = time.perf_counter() + budget_s
    while len(times) < 3 or (len(times) < most and time.perf_counter() < deadline_s):
        sync()
        start_s = time.perf_counter()
        launch()
        sync()
        times.append(time.perf_counter() - start_s)
    return Timing(tuple(times))
