"""A step is as slow as its slowest rank: what that costs, by how a rank's time varies.

Each rank's time is drawn independently from the same distribution, whose mean and standard
deviation are known. ``normal`` is the one for many small causes; ``exponential`` has a tail of rare
long delays: a shortest time plus an exponential delay.

Sources: A. Rényi, *On the theory of order statistics*, Acta Mathematica Academiae Scientiarum
Hungaricae 4, 1953 (the exponential); H. A. David and H. N. Nagaraja, *Order Statistics*, 2003 (the
expected maximum as an integral, and how it grows); J. Dean and L. A. Barroso, *The Tail at Scale*,
CACM 56, 2013 (why it matters).
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from gpuedu.syllabus import unknown

_TAILS = ("normal", "exponential")
_WIDTH, _POINTS = 9.0, 2001  # standard deviations to each side of the mean; beyond is nothing


def slowest_s(mean_s: float, deviation_s: float, ranks: int, tail: str = "normal") -> float:
    """The expected time of the slowest of this many ranks.

    For the exponential tail that is exact: mean + deviation (1 + 1/2 + ... + 1/ranks - 1), which
    grows like the logarithm. The normal one has no closed form; it is integrated, and grows like
    deviation * sqrt(2 ln ranks), which it approaches slowly from below.

    Args:
        mean_s: of one rank's time, in seconds.
        deviation_s: its standard deviation.
        ranks: how many.
        tail: "normal" or "exponential".

    >>> [round(slowest_s(1.0, 0.05, n), 3) for n in (1, 8, 64, 1024)]
    [1.0, 1.071, 1.117, 1.162]
    >>> [round(slowest_s(1.0, 0.05, n, "exponential"), 3) for n in (1, 8, 64, 1024)]
    [1.0, 1.086, 1.187, 1.325]
    """
    _require(deviation_s, ranks, tail)
    if tail == "exponential":
        return mean_s + deviation_s * float(np.sum(1 / np.arange(2, ranks + 1)))
    return mean_s + deviation_s * _normal_maximum(ranks)


def draw_slowest(
    rng: np.random.Generator,
    steps: int,
    mean_s: float,
    deviation_s: float,
    ranks: int,
    tail: str = "normal",
) -> np.ndarray:
    """The time of the slowest rank in each of this many steps, drawn at random; shape (steps,).

    >>> drawn = draw_slowest(np.random.default_rng(0), 2000, 1.0, 0.05, 64)
    >>> round(float(drawn.mean()), 2), round(slowest_s(1.0, 0.05, 64), 2)
    (1.12, 1.12)
    """
    _require(deviation_s, ranks, tail)
    if tail == "exponential":
        drawn = rng.exponential(size=(steps, ranks)) - 1
    else:
        drawn = rng.normal(size=(steps, ranks))
    return mean_s + deviation_s * drawn.max(axis=1)


def _require(deviation_s: float, ranks: int, tail: str) -> None:
    if tail not in _TAILS:
        raise unknown("tail", tail, _TAILS)
    if ranks < 1 or deviation_s < 0:
        raise ValueError(f"at least 1 rank, and a deviation of at least 0: {ranks}, {deviation_s}")


def _normal_maximum(ranks: int) -> float:
    """The expected maximum of standard normal numbers: what is left of a 1 above, less below 0."""
    points = np.linspace(-_WIDTH, _WIDTH, _POINTS)
    all_below = np.array([NormalDist().cdf(point) for point in points]) ** ranks
    return float((np.heaviside(points, 0.5) - all_below).sum() * (points[1] - points[0]))
