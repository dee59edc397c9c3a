"""Times of copies between host and device, made up: a latency, a rate, and scatter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gpuedu.units import GB, US

SIZES = tuple(1024 * 4**k for k in range(9))
"""1 KiB to 64 MiB."""
LEAST, MOST = 0.06, 0.12
"""How far off a scattered time is, up or down, as a share of it."""


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
