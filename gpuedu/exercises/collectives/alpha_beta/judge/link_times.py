"""Made-up times of ring all-reduces by size, exact and uneven, from which a link is fitted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuedu.multi.network import Link, ring_all_reduce_s

SIZES = tuple(4096 * 4**k for k in range(10))
"""Bytes of the tensors that were timed, 4 KiB to 1 GiB."""
_LEAST, _MOST = 0.03, 0.06


def exact_times_s(ranks: int, link: Link) -> list[float]:
    """Times of a ring without any scatter, by ``SIZES``."""
    return [ring_all_reduce_s(ranks, size, link) for size in SIZES]


def uneven_times_s(rng: np.random.Generator, ranks: int, link: Link) -> list[float]:
    """The same, each off by 3 to 6% of itself, by turns up and down.

    Whether the largest is too long or too short is drawn. A fit of plain squares then misses the
    latency by far, whatever is drawn; one of relative squares stays within a few percent.
    """
    off = rng.uniform(_LEAST, _MOST, len(SIZES)) * (-1.0) ** np.arange(len(SIZES))
    off *= rng.choice([-1.0, 1.0])
    return _made_uneven(exact_times_s(ranks, link), off)


def apart_times(rng: np.random.Generator, ranks: int, link: Link) -> tuple[list[int], list[float]]:
    """Sizes far below and far above the one whose bytes take as long as its latencies; times.

    Each time is off by 3 to 6% of itself. The small ones hardly tell the rate, and of them the
    larger ones are off the other way: a fit in which small times count for more than their share
    takes the rate from those, and misses it by a fifth at least; one by shares finds it.
    """
    middle = ranks * link.latency_s * link.bytes_per_s
    sizes = [int(middle * part) for part in (0.01, 0.02, 0.2, 0.25, 100.0, 200.0, 400.0, 800.0)]
    signs = rng.choice([-1.0, 1.0]) * np.array([1, 1, -1, -1, 1, -1, 1, -1])
    exact = [ring_all_reduce_s(ranks, size, link) for size in sizes]
    return sizes, _made_uneven(exact, signs * rng.uniform(_LEAST, _MOST, len(sizes)))


def scattered_times(
    rng: np.random.Generator, ranks: int, link: Link
) -> tuple[list[int], list[float]]:
    """Sizes whose bytes take far longer than their latencies; times off by 24 to 30% of themselves.

    The smallest are too short: the least sum of squares is at an alpha below 0. Errors that are
    shares of the fitted times, or of logarithms, lead to times that are a tenth longer.
    """
    middle = ranks * link.latency_s * link.bytes_per_s
    sizes = [int(middle * part) for part in (6, 8, 10, 24, 30, 36, 100, 120)]
    off = rng.uniform(0.24, 0.3, len(sizes)) * [-1, -1, -1, 1, 1, 1, 1, -1]
    exact = [ring_all_reduce_s(ranks, size, link) for size in sizes]
    return sizes, _made_uneven(exact, off)


def fit_by_shares(
    ranks: int, sizes_bytes: Sequence[float], times_s: Sequence[float]
) -> tuple[float, float]:
    """Alpha and beta for which the squared errors, as shares of the times, have the least sum.

    Alpha may be below 0, which no link's is.
    """
    times, steps = np.asarray(times_s), 2 * (ranks - 1)
    columns = np.stack([np.full(len(times), steps), steps / ranks * np.asarray(sizes_bytes)], 1)
    (alpha_s, beta_s), *_ = np.linalg.lstsq(columns / times[:, None], np.ones(len(times)))
    return float(alpha_s), float(beta_s)


def _made_uneven(times_s: list[float], off: np.ndarray) -> list[float]:
    return [time_s * (1 + part) for time_s, part in zip(times_s, off.tolist(), strict=True)]
