"""How fast this machine's memory copies, measured honestly and briefly."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from gpuedu.hardware.machine import available_memory_bytes
from gpuedu.units import GIB, MB

SIZE_BYTES = int(128 * MB)
"""More than most machines' last-level cache holds; some servers have larger ones."""

_SHARE = 8
_LEAST_REPEATS = 5


@dataclass(frozen=True)
class Bandwidth:
    """The median rate of a copy of ``size_bytes``, read and written bytes counted, and its spread.

    ``spread_bytes_per_s`` goes from the first to the third quartile.
    """

    bytes_per_s: float
    spread_bytes_per_s: float
    size_bytes: int


def measure_bandwidth(
    size_bytes: int = SIZE_BYTES, budget_s: float = 0.15, available_bytes: int | None = None
) -> Bandwidth:
    """Copy an array with NumPy, on one core, until the budget is spent, at least 5 times.

    A plain store first fetches the line it overwrites; that traffic is not counted, so the rate is
    what a program gets and not what the memory moves. The C library avoids the fetch for copies
    that it considers larger than the cache: where the system reports a cache of hundreds of MB, a
    larger ``size_bytes`` may copy faster than the default (1.7 times on one such machine).

    Args:
        size_bytes: size of the array in bytes; it and its copy together take at most an eighth of
            the available memory.
        budget_s: about how long to measure, in seconds, once the arrays are made.
        available_bytes: memory that may be used; what the system and the container leave by
            default.
    """
    import numpy as np

    source = np.ones(_affordable(size_bytes, available_bytes) // 8)
    target = np.zeros_like(source)
    np.copyto(target, source)  # warm-up: maps every page of both before the clock runs
    rates: list[float] = []
    deadline_s = time.perf_counter() + budget_s
    while len(rates) < _LEAST_REPEATS or time.perf_counter() < deadline_s:
        started_s = time.perf_counter()
        np.copyto(target, source)
        taken_s = time.perf_counter() - started_s
        rates.append(2 * source.nbytes / max(taken_s, 1e-9))  # a coarse clock may say 0
    first, _, third = statistics.quantiles(rates, n=4, method="inclusive")
    return Bandwidth(statistics.median(rates), third - first, source.nbytes)


def _affordable(size_bytes: int, available_bytes: int | None) -> int:
    """The size, or what two arrays may take; where nothing tells, 1 GiB counts as available."""
    if available_bytes is None:
        available_bytes = available_memory_bytes()
    if available_bytes is None:
        available_bytes = GIB
    return max(min(size_bytes, available_bytes // (2 * _SHARE)), 8)
