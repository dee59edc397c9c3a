"""Arithmetic and comparison of PromQL, and what aggregations make of many values."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence


def _divide(a: float, b: float) -> float:
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * _sign(b)
    return a / b


def _sign(value: float) -> float:
    return math.copysign(1.0, value)


def _modulo(a: float, b: float) -> float:
    if b == 0 or math.isinf(a) or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.fmod(a, b)


def _power(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0 and b % 2 == 1 else math.inf
    except ValueError:
        return math.inf if a == 0 else math.nan


ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "%": _modulo,
    "^": _power,
}
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
SETS = ("and", "or", "unless")


def quantile(share: float, values: Sequence[float]) -> float:
    """Between the two nearest of the sorted values; infinite for a share that is none.

    >>> quantile(0.5, [3.0, 1.0, 2.0, 10.0])
    2.5
    """
    if math.isnan(share):
        return math.nan
    if share < 0 or share > 1:
        return math.copysign(math.inf, share)
    ordered = sorted(values, key=lambda one: (not math.isnan(one), one))
    rank = share * (len(ordered) - 1)
    low = max(0, math.floor(rank))
    high = min(len(ordered) - 1, low + 1)
    weight = rank - math.floor(rank)
    return ordered[low] * (1 - weight) + ordered[high] * weight


def _variance(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sum((one - mean) * (one - mean) for one in values) / len(values)  # `**` can overflow


def _known(values: Sequence[float]) -> list[float]:
    """NaN counts as the smallest or largest only where there is nothing else."""
    return [one for one in values if not math.isnan(one)] or [math.nan]


AGGREGATIONS: dict[str, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "avg": lambda values: sum(values) / len(values),
    "min": lambda values: min(_known(values)),
    "max": lambda values: max(_known(values)),
    "count": lambda values: float(len(values)),
    "group": lambda values: 1.0,
    "stddev": lambda values: math.sqrt(_variance(values)),
    "stdvar": _variance,
}
"""By name, of those without a parameter; ``quantile`` has one."""

INSTANT_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "ceil": lambda value: float(math.ceil(value)) if math.isfinite(value) else value,
    "floor": lambda value: float(math.floor(value)) if math.isfinite(value) else value,
    "sgn": lambda value: value if value == 0 or math.isnan(value) else _sign(value),
    "sqrt": lambda value: math.sqrt(value) if value >= 0 else math.nan,
}
"""By name, of those that make a number of each number."""
