"""What a step costs by its batch, as a model and as made-up measurements of one."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

import numpy as np

from gpuedu.units import US

Run = tuple[int, float]
"""A batch, and how long one step with it took, in seconds."""


class StepCost(NamedTuple):
    """The host launches ``launches`` kernels, each of which takes it ``launch_s``.

    The device needs ``fixed_s`` whatever the batch, and ``per_sample_s`` for each sample. Both work
    at the same time, so a step takes as long as the slower of them. What the model leaves out: a
    device is not full with few samples, and does its blocks in whole waves.
    """

    launches: int
    launch_s: float
    fixed_s: float
    per_sample_s: float

    def on_device_s(self, batch: float) -> float:
        """How long the device is busy with a step."""
        return self.fixed_s + batch * self.per_sample_s

    def step_s(self, batch: float) -> float:
        """How long a step takes."""
        return max(self.launches * self.launch_s, self.on_device_s(batch))

    def samples_per_s(self, batch: float) -> float:
        """Samples per second.

        >>> StepCost(100, 1e-5, 0.0, 1e-5).samples_per_s(50)
        50000.0
        """
        return batch / self.step_s(batch)

    @property
    def best_per_s(self) -> float:
        """What no batch reaches, and a large one comes close to."""
        return 1 / self.per_sample_s

    def edges(self, share: float) -> tuple[float, float]:
        """From which batch on the host, and the fixed part, leave ``share`` of the best rate."""
        by_host = share * self.launches * self.launch_s / self.per_sample_s
        return by_host, share * self.fixed_s / ((1 - share) * self.per_sample_s)


SHARE = 0.9
SHOWN = StepCost(400, 5 * US, 100 * US, 11 * US)
"""What the lesson draws and asks about; round numbers, not measured."""
OPENING = StepCost(250, 6 * US, 50 * US, 4 * US)
"""What its first picture draws: another step, so that the picture tells no prediction's truth."""
IN_ONE_GO = SHOWN._replace(launches=20)
"""The same work with few launches, as a CUDA graph or fused kernels have them."""
LARGE_WEIGHTS = SHOWN._replace(fixed_s=6e-3)
"""The same with more to do for each step, such as an update of many weights."""


def median_times(runs: Sequence[Run]) -> dict[int, float]:
    """Seconds of a step by batch, in rising order: the median of the batch's times."""
    times: dict[int, list[float]] = {}
    for batch, time_s in runs:
        times.setdefault(batch, []).append(time_s)
    return {batch: median(times[batch]) for batch in sorted(times)}


def median_rates(runs: Sequence[Run]) -> dict[int, float]:
    """Samples per second by batch, in rising order, from the median of the batch's times.

    >>> median_rates([(8, 2.0), (4, 1.0), (8, 1.0), (8, 9.0)])
    {4: 4.0, 8: 4.0}
    """
    return {batch: batch / time_s for batch, time_s in median_times(runs).items()}


def disturbed(rng: np.random.Generator, rates: dict[int, float], repeats: int = 5) -> list[Run]:
    """Runs in mixed order: about 1% of scatter, and single ones far off, most of them too slow."""
    runs = []
    for batch, rate in rates.items():
        times = batch / rate * (1 + 0.01 * rng.uniform(-1, 1, repeats))
        if rng.random() < 0.7:
            times[0] *= rng.uniform(3, 7) if rng.random() < 0.7 else rng.uniform(0.7, 0.95)
        runs += [(batch, float(f"{time_s:.5g}")) for time_s in times]
    return [runs[place] for place in rng.permutation(len(runs))]


def shown_runs() -> list[Run]:
    """Made-up measurements with all that a real curve has: dips, a fall at the end, outliers.

    The dips are where the device is the slower one: waves of blocks cannot show before that.
    """
    rng = np.random.default_rng(5)
    dips = {256: 0.84, 512: 0.91, 1024: 0.78}
    rates = {
        batch: SHOWN.samples_per_s(batch) * 0.97 * dips.get(batch, 1.0)
        for batch in (16, 32, 64, 128, 192, 256, 320, 512, 640, 768, 1024)
    }
    return disturbed(rng, rates)
