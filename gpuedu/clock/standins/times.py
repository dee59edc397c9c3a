"""What stands in for ``time``: sleep and the clocks, in simulated seconds."""

from __future__ import annotations

from gpuedu.clock.processes import current

__all__ = [
    "monotonic",
    "monotonic_ns",
    "perf_counter",
    "perf_counter_ns",
    "sleep",
    "time",
    "time_ns",
]


def sleep(seconds: float) -> None:
    """Let simulated time pass; ValueError for a negative time, like the real one."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    current().clock.sleep(float(seconds))


def perf_counter() -> float:
    """Simulated seconds since the clock was made."""
    clock = current().clock
    clock.glance()
    return clock.now()


def perf_counter_ns() -> int:
    """The same in whole nanoseconds."""
    return round(perf_counter() * 1e9)


time = monotonic = perf_counter
time_ns = monotonic_ns = perf_counter_ns
