"""Hours, energy, money and CO2 of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gpuedu.choosing.models import ShapeError

SECONDS_PER_HOUR = 3600


@dataclass(frozen=True)
class Cost:
    """What a run takes: ``kwh`` for the whole building, ``kg`` of CO2, ``money`` as priced."""

    hours: float
    kwh: float
    money: float
    kg: float


def run_cost(
    steps: float,
    step_s: float,
    devices: int,
    power_w: float,
    pue: float,
    price_per_hour: float,
    g_per_kwh: float,
) -> Cost:
    """The cost of ``steps`` steps on ``devices`` devices that draw ``power_w`` and have a price.

    Raises:
        ShapeError: a value below 0, or a PUE below 1.

    >>> run_cost(3600, 10.0, 8, 700, 1.25, 2.0, 400)
    Cost(hours=10.0, kwh=70.0, money=160.0, kg=28.0)
    """
    for name, value in (("steps", steps), ("step_s", step_s), ("power_w", power_w)):
        require_amount(name, value)
    if not pue >= 1:
        raise ShapeError(
            f"a PUE cannot be {pue}: a building draws at least what its devices draw",
            remedy="1.0 for the devices alone, about 1.56 for an average data center",
        )
    hours = steps * step_s / SECONDS_PER_HOUR
    kwh = hours * devices * power_w * pue / 1000
    return Cost(hours, kwh, hours * devices * price_per_hour, kwh * g_per_kwh / 1000)


def require_amount(name: str, value: float) -> None:
    """Raise ShapeError for anything but a finite number of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ShapeError(f"{name} is {value!r}", remedy="a number of 0 or more")


def per_million(price_per_hour: float, tokens_per_s: float) -> float:
    """Money for a million tokens on a device.

    >>> per_million(3.6, 1000)
    1.0
    """
    return price_per_hour / SECONDS_PER_HOUR / tokens_per_s * 1e6


def energy_j(readings: Sequence[int], wraps_at: int) -> float:
    """Joules between the first and last reading of a microjoule counter that wraps around.

    >>> energy_j([900_000, 100_000], 1_000_000)
    0.2
    """
    return sum((after - before) % wraps_at for before, after in pairwise(readings)) / 1e6


def joules_each(energy: float, idle_w: float, time_s: float, results: float) -> float:
    """Joules for each result, beyond what an idle machine would have drawn.

    >>> joules_each(1000.0, 50.0, 10.0, 100)
    5.0
    """
    return (energy - idle_w * time_s) / results
