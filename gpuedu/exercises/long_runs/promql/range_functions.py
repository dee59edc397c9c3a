"""Functions of PromQL that make one number of the samples of a range."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

Samples = Sequence[tuple[float, float]]
"""Times in seconds and values."""
_THRESHOLD = 1.1
"""A range is filled up to its end where that is nearer than so many gaps between samples."""


def extrapolated(
    samples: Samples, start_s: float, end_s: float, *, is_counter: bool, is_rate: bool
) -> float | None:
    """What a range of samples grew by, extrapolated to all of the range, or that per second.

    A counter that falls was reset: what it had before is added. It is not extrapolated below 0.
    None where there are fewer than two samples.

    >>> samples = [(10.0, 5.0), (20.0, 15.0), (30.0, 3.0)]
    >>> extrapolated(samples, 5.0, 35.0, is_counter=True, is_rate=False)
    19.5
    """
    if len(samples) < 2:
        return None
    (first_s, first), (last_s, last) = samples[0], samples[-1]
    grown = last - first
    if is_counter:
        grown += sum(a for (_, a), (_, b) in itertools.pairwise(samples) if b < a)
    sampled_s = last_s - first_s
    gap_s = sampled_s / (len(samples) - 1)
    before_s, after_s = first_s - start_s, end_s - last_s
    if before_s >= _THRESHOLD * gap_s:
        before_s = gap_s / 2
    if is_counter and grown > 0 and first >= 0:
        before_s = min(before_s, sampled_s * (first / grown))
    if after_s >= _THRESHOLD * gap_s:
        after_s = gap_s / 2
    factor = (sampled_s + before_s + after_s) / sampled_s
    return grown * factor / (end_s - start_s) if is_rate else grown * factor


def _instant(samples: Samples, *_: float) -> float | None:
    if len(samples) < 2:
        return None
    (before_s, before), (last_s, last) = samples[-2:]
    return (last if last < before else last - before) / (last_s - before_s)


def _is_other(before: float, after: float) -> bool:
    return before != after and not (math.isnan(before) and math.isnan(after))


def _largest(values: Sequence[float]) -> float:
    """NaN counts only where there is nothing else."""
    return max((one for one in values if not math.isnan(one)), default=math.nan)


def _smallest(values: Sequence[float]) -> float:
    return min((one for one in values if not math.isnan(one)), default=math.nan)


def _of_values(function: Callable[[list[float]], float]) -> Callable[..., float | None]:
    def over(samples: Samples, *_: float) -> float | None:
        return function([value for _, value in samples]) if samples else None

    return over


def _pairs(counts: Callable[[float, float], bool]) -> Callable[..., float | None]:
    return _of_values(
        lambda values: float(sum(counts(a, b) for a, b in itertools.pairwise(values)))
    )


def _grown(*, is_counter: bool, is_rate: bool) -> Callable[..., float | None]:
    return lambda samples, start_s, end_s: extrapolated(
        samples, start_s, end_s, is_counter=is_counter, is_rate=is_rate
    )


RANGE_FUNCTIONS: dict[str, Callable[..., float | None]] = {
    "rate": _grown(is_counter=True, is_rate=True),
    "increase": _grown(is_counter=True, is_rate=False),
    "delta": _grown(is_counter=False, is_rate=False),
    "irate": _instant,
    "changes": _pairs(_is_other),
    "resets": _pairs(lambda before, after: after < before),
    "avg_over_time": _of_values(lambda values: sum(values) / len(values)),
    "sum_over_time": _of_values(sum),
    "min_over_time": _of_values(_smallest),
    "max_over_time": _of_values(_largest),
    "count_over_time": _of_values(lambda values: float(len(values))),
    "last_over_time": _of_values(lambda values: values[-1]),
    "present_over_time": _of_values(lambda values: 1.0),
}
"""By name: ``function(samples, start_s, end_s)``, None where the series gives nothing."""
