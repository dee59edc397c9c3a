"""Fits of a latency and a rate, and whether times tell the sensible ones from the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuedu.exercises.feed_the_gpu.transfer_size.copy_times import SIZES, CopyCost

CLOSE = 0.05
"""How far off the fitted times may be where times scatter; every sensible fit of the cases stays
within ``_SENSIBLE``, and the others are off by more than ``_APART`` times as much."""
_SENSIBLE, _APART = 0.035, 1.3


def fit_weighted(
    sizes_bytes: Sequence[float],
    times_s: Sequence[float],
    weights: np.ndarray | None = None,
) -> CopyCost:
    """The line with the least squares of weighted errors; of errors as shares of the times without.

    >>> cost = fit_weighted([1e3, 1e6, 1e9], [1.1e-6, 1.01e-4, 0.1000001])
    >>> [float(f"{value:.4g}") for value in cost]
    [1e-06, 10000000000.0]
    """
    sizes, times = np.asarray(sizes_bytes, float), np.asarray(times_s, float)
    weights = 1 / times if weights is None else weights
    # Columns of like size, so that rounding does not drown the latency.
    columns = np.stack([weights * times.mean(), weights * sizes / sizes.mean()], axis=1)
    scale = np.linalg.norm(columns, axis=0)
    found = np.linalg.lstsq(columns / scale, weights * times, rcond=None)[0] / scale
    return CopyCost(float(found[0] * times.mean()), float(sizes.mean() / found[1]))


def worst_error(cost: CopyCost, fitted: CopyCost) -> tuple[float, int]:
    """The largest error of a fitted time as a share of the true one, and for which size."""
    if not all(np.isfinite(fitted)) or fitted.bandwidth_bytes_per_s == 0:
        return float("inf"), SIZES[0]
    errors = [abs(fitted.time_s(size) / cost.time_s(size) - 1) for size in SIZES]
    place = int(np.argmax(errors))
    return errors[place], SIZES[place]


def tell_apart(cost: CopyCost, sizes_bytes: Sequence[float], times_s: Sequence[float]) -> bool:
    """Whether sensible fits are close, and the others are not, with room on both sides."""
    sizes, times = np.asarray(sizes_bytes), np.asarray(times_s)
    sensible = fit_weighted(sizes, times), _fit_of_logarithms(sizes, times)
    weights = np.ones_like(times), 1 / times**2, 1 / sizes
    others = [_fit_fastest(sizes, times), *(fit_weighted(sizes, times, one) for one in weights)]
    return (
        worst_error(cost, _line_of_ends(sizes, times))[0] >= 2 * CLOSE
        and all(worst_error(cost, one)[0] < _SENSIBLE for one in sensible)
        and all(worst_error(cost, one)[0] > _APART * CLOSE for one in others)
    )


def _fit_of_logarithms(sizes: np.ndarray, times: np.ndarray) -> CopyCost:
    """Least squares of the logarithms of the ratios, by Gauss-Newton from the weighted fit."""
    cost = fit_weighted(sizes, times)
    for _ in range(5):
        model = cost.time_s(sizes)
        slopes = np.stack([cost.latency_s / model, 1 - cost.latency_s / model], axis=1)
        step = np.exp(np.linalg.lstsq(slopes, np.log(times / model), rcond=None)[0])
        cost = CopyCost(cost.latency_s * step[0], cost.bandwidth_bytes_per_s / step[1])
    return cost


def _fit_fastest(sizes: np.ndarray, times: np.ndarray) -> CopyCost:
    """The weighted fit of the least time of each size."""
    each = np.unique(sizes)
    return fit_weighted(each, [times[sizes == size].min() for size in each])


def _line_of_ends(sizes: np.ndarray, times: np.ndarray) -> CopyCost:
    """The line through the first and the last time; sizes grow."""
    rate = (sizes[-1] - sizes[0]) / (times[-1] - times[0])
    return CopyCost(times[0] - sizes[0] / rate, rate)
