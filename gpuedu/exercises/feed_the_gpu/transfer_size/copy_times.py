"""Times of copies between host and device, made up: a latency, a rate, and scatter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gpuedu.units import GB, US

SIZES = tuple(1024 * 4**k for k in range(9))
"""1 KiB to 64 MiB."""
LEAST, MOST = 0.06, 0.12
"""How far off a scattered time is, up or down, as a share of it."""

Fit = Callable[[list[float], list[float]], tuple[float, float]]


class CopyCost(NamedTuple):
    """What a copy costs: seconds whatever its size, and bytes per second."""

    latency_s: float
    bandwidth_bytes_per_s: float

    def time_s(self, size_bytes: float) -> float:
        """How long a copy of this size takes."""
        return self.latency_s + size_bytes / self.bandwidth_bytes_per_s


SHOWN = CopyCost(10 * US, 20 * GB)
"""What the lesson draws and computes with; round numbers, not measured."""


def times_of(cost: CopyCost, sizes_bytes: Sequence[float]) -> list[float]:
    """Times without scatter."""
    return [cost.time_s(size) for size in sizes_bytes]


def scattered(
    rng: np.random.Generator, cost: CopyCost, sizes_bytes: Sequence[float]
) -> list[float]:
    """Times that are off by a share of themselves, small and large ones alike."""
    off = rng.uniform(LEAST, MOST, len(sizes_bytes)) * rng.choice((-1, 1), len(sizes_bytes))
    return (np.array(times_of(cost, sizes_bytes)) * (1 + off)).tolist()


def fit_weighted(
    sizes_bytes: Sequence[float], times_s: Sequence[float], power: float = 1.0
) -> CopyCost:
    """The line with the least squares of errors over ``time ** power``.

    1 makes them shares of the time; 0 leaves them in seconds, where the largest copies decide all.

    >>> cost = fit_weighted([1e3, 1e6, 1e9], [1.1e-6, 1.01e-4, 0.1000001])
    >>> [float(f"{value:.4g}") for value in cost]
    [1e-06, 10000000000.0]
    """
    sizes, times = np.asarray(sizes_bytes, float), np.asarray(times_s, float)
    weights = times**-power
    # Columns of like size, so that rounding does not drown the latency.
    columns = np.stack([weights * times.mean(), weights * sizes / sizes.mean()], axis=1)
    scale = np.linalg.norm(columns, axis=0)
    found = np.linalg.lstsq(columns / scale, weights * times, rcond=None)[0] / scale
    return CopyCost(float(found[0] * times.mean()), float(sizes.mean() / found[1]))
