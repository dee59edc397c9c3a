"""Bands of outcomes of training: random results are judged by law, not by luck.

A band is set from at least 50 reference runs (``gpuedu.experiments``). An answer is held against it
by the median of several seeds, with a margin that covers what another machine's rounding does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles

LEAST_RUNS = 50


@dataclass(frozen=True)
class Band:
    """Where the outcomes of reference runs lie: the lowest, the median, the highest."""

    lowest: float
    median: float
    highest: float
    runs: int

    @classmethod
    def of(cls, outcomes: Sequence[float]) -> Band:
        """The band of these outcomes.

        >>> Band.of([float(i) for i in range(51)])
        Band(lowest=0.0, median=25.0, highest=50.0, runs=51)
        """
        if len(outcomes) < LEAST_RUNS:
            raise ValueError(f"{len(outcomes)} reference runs, at least {LEAST_RUNS}")
        return cls(min(outcomes), median(outcomes), max(outcomes), len(outcomes))

    @property
    def width(self) -> float:
        """From the lowest to the highest."""
        return self.highest - self.lowest

    def reaches(self, outcomes: Sequence[float], margin: float = 0.5) -> bool:
        """Whether the median of these is not below the band by more than ``margin`` widths of it.

        >>> band = Band.of([float(i) for i in range(51)])
        >>> band.reaches([-20.0, 3.0, 60.0]), band.reaches([-40.0, -30.0, 60.0])
        (True, False)
        """
        return median(outcomes) >= self.lowest - margin * self.width


def middle_half(outcomes: Sequence[float]) -> tuple[float, float]:
    """First and third quartile.

    >>> middle_half([1.0, 2.0, 3.0, 4.0, 5.0])
    (2.0, 4.0)
    """
    low, _, high = quantiles(outcomes, n=4, method="inclusive")
    return low, high
