"""What known mistakes about the cost of copies would give, each with a sentence that names it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuedu.exercises.compare import Misconception
from gpuedu.exercises.feed_the_gpu.transfer_size.copy_times import CopyCost, fit_weighted

TIMES = (
    Misconception(
        lambda size_bytes, latency_s, bandwidth_bytes_per_s: size_bytes / bandwidth_bytes_per_s,
        "That is the bytes alone. And the latency?",
    ),
    Misconception(
        lambda size_bytes, latency_s, bandwidth_bytes_per_s: max(
            latency_s, size_bytes / bandwidth_bytes_per_s
        ),
        "That is the longer of the two. The bytes travel behind the latency: one after the other.",
    ),
)
HALVES = (
    Misconception(
        lambda latency_s, bandwidth_bytes_per_s, **_: latency_s * bandwidth_bytes_per_s / 2,
        "At that size the bytes take half as long as the latency: a third of the bandwidth.",
    ),
    Misconception(
        lambda latency_s, bandwidth_bytes_per_s, **_: 2 * latency_s * bandwidth_bytes_per_s,
        "At that size the bytes take twice as long as the latency: two thirds of the bandwidth.",
    ),
)


def fit_two_points(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> CopyCost:
    """The line through the first and the last time; sizes grow."""
    rate = (sizes_bytes[-1] - sizes_bytes[0]) / (times_s[-1] - times_s[0])
    return CopyCost(times_s[0] - sizes_bytes[0] / rate, rate)


def _ends(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> CopyCost:
    """The least time for the latency, the best rate seen for the bandwidth."""
    rates = np.asarray(sizes_bytes) / np.asarray(times_s)
    return CopyCost(float(min(times_s)), float(max(rates)))


def fit_fastest(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> CopyCost:
    """A sensible fit, of the least time of each size."""
    sizes = sorted(set(sizes_bytes))
    best = [min(t for s, t in zip(sizes_bytes, times_s, strict=True) if s == n) for n in sizes]
    return fit_weighted(sizes, best)


def _solve(weights: np.ndarray, right: np.ndarray, sizes: np.ndarray) -> CopyCost:
    """Latency and bandwidth from ``weights * (latency + size * slope) = right``, least squares."""
    columns = np.stack([weights, weights * sizes], axis=1)
    scale = np.linalg.norm(columns, axis=0)
    latency_s, slope = np.linalg.lstsq(columns / scale, right, rcond=None)[0] / scale
    return CopyCost(float(latency_s), float(1 / slope))


def fit_of_shares_of_sizes(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> CopyCost:
    """The line with the least squares of errors over the size."""
    sizes, times = np.asarray(sizes_bytes), np.asarray(times_s)
    return _solve(1 / sizes, times / sizes, sizes)


def _divided_rows_only(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> CopyCost:
    sizes, times = np.asarray(sizes_bytes), np.asarray(times_s)
    return _solve(1 / times, times, sizes)


FITS = (
    Misconception(
        lambda **given: fit_weighted(**given, power=0.0),
        "That is the line with the least squares of errors in seconds. A tenth of a long copy's "
        "time is many latencies, so the largest copies decide all. What should count, if each "
        "time is off by a share of itself?",
    ),
    Misconception(
        lambda **given: fit_weighted(**given)._replace(
            bandwidth_bytes_per_s=1 / fit_weighted(**given).bandwidth_bytes_per_s
        ),
        "The second number is seconds a byte. What is wanted is bytes a second.",
    ),
    Misconception(
        lambda **given: tuple(reversed(fit_weighted(**given))),
        "The two numbers stand in the other order: first the latency.",
    ),
    Misconception(
        lambda **given: fit_weighted(**given, power=0.5),
        "That divides the squares of the errors by the times, so the errors by their roots.",
    ),
    Misconception(
        fit_fastest,
        "That fits the fastest time of each size. These are off upwards and downwards alike.",
    ),
    Misconception(
        lambda **given: fit_weighted(**given, power=2.0),
        "That divides the errors by the squares of the times, so the small copies decide nearly "
        "all. A share of the time is the error over the time itself. (`np.polyfit` multiplies by "
        "`w` before it squares.)",
    ),
    Misconception(
        fit_of_shares_of_sizes,
        "That divides each equation by its size. Errors as shares of the times come from dividing "
        "by the times.",
    ),
    Misconception(_divided_rows_only, "You divided the rows. And the right side?"),
    Misconception(
        lambda **given: fit_weighted(**given, power=-1.0),
        "That multiplies the errors by the times, so that the largest copies count even more.",
    ),
    Misconception(
        fit_two_points, "That is the line through two of the times. Use all: they scatter."
    ),
    Misconception(_ends, "That is one time for the latency, and one for the rate. Use all."),
)
