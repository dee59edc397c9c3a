"""The time of some work, measured honestly: warmed up, repeated, median and quartiles."""

from __future__ import annotations

import math

from gpuedu.clock import Timing
from gpuedu.recording.bench import GpuBench
from gpuedu.recording.points import PreparedPoint

LEAST, MOST = 3, 50
SAMPLE_S = 2e-4
"""A sample at least this long: an event's time has a resolution of about half a microsecond
(CUDA Runtime API, cudaEventElapsedTime)."""
_MOST_RUNS = 100
_ENOUGH = 5


def time_work(bench: GpuBench, work: PreparedPoint, budget_s: float) -> Timing:
    """Time a work that has run once, until the budget is spent, 3 to 50 times.

    The first timed run only shows how many runs make a sample.

    Args:
        bench: The GPU.
        work: What to run; a time is that of one run.
        budget_s: About how long to go on.
    """
    clock = bench.host_time_s if work.by_host else bench.time_s
    start_s = bench.now_s()
    first_s = clock(work.run, 1)
    runs = work.times or runs_of_a_sample(first_s)
    samples: list[float] = [first_s] if runs == 1 else []
    while len(samples) < MOST:
        spent_s = bench.now_s() - start_s
        least = LEAST if first_s * runs * _ENOUGH > budget_s else _ENOUGH
        if spent_s >= budget_s and len(samples) >= least:
            break
        samples.append(clock(work.run, runs))
    return Timing(tuple(samples))


def runs_of_a_sample(run_s: float) -> int:
    """How many runs make a sample that is long enough for the clock.

    >>> runs_of_a_sample(1e-5), runs_of_a_sample(0.5), runs_of_a_sample(0.0)
    (20, 1, 100)
    """
    if run_s <= SAMPLE_S / _MOST_RUNS:
        return _MOST_RUNS
    return max(1, math.ceil(SAMPLE_S / run_s - 1e-9))


def in_unit(timing: Timing, unit: str, moved_bytes: float) -> Timing:
    """The same samples in a series' unit: seconds, or bytes in a second."""
    if unit == "s":
        return timing
    return Timing(tuple(moved_bytes / time_s for time_s in timing.times_s))
