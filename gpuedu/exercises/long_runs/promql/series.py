"""Samples of time series, and which of them are seen at a moment or in a range."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

LOOK_BACK_S = 300.0
NAME = "__name__"
Labels = tuple[tuple[str, str], ...]
"""Names and values in order, without empty values; the metric's name is ``NAME``."""


def labels_of(given: Mapping[str, str]) -> Labels:
    """Labels in their one order.

    >>> labels_of({"node": "n1", "gpu": "", "__name__": "up"})
    (('__name__', 'up'), ('node', 'n1'))
    """
    return tuple(sorted((name, value) for name, value in given.items() if value))


@dataclass(frozen=True)
class Series:
    """Samples of one series, in order of time; a value of None marks that it is stale from there.

    Prometheus writes such a mark when a target, or a series of it, is gone at a scrape.
    """

    labels: Labels
    times_s: Sequence[float]
    values: Sequence[float | None]


@dataclass(frozen=True)
class Matcher:
    """Which value of a label is asked for: ``op`` is =, !=, =~ or !~."""

    name: str
    op: str
    value: str

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether it is met; a label that lacks has the value ""."""
        got = labels.get(self.name, "")
        is_met = got == self.value if self.op in ("=", "!=") else self._is_full(got)
        return is_met is not self.op.startswith("!")

    def _is_full(self, got: str) -> bool:
        return re.fullmatch(self.value, got) is not None


@dataclass(frozen=True)
class Store:
    """Series, and how the start of a range is read.

    ``is_closed``: a sample at the very start of a range, or of the look-back, counts, as it did
    before Prometheus 3.
    """

    series: Sequence[Series]
    is_closed: bool = False
    _found: dict[tuple[Matcher, ...], list[Series]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def select(self, matchers: Iterable[Matcher]) -> list[Series]:
        """All series that meet all matchers."""
        asked = tuple(matchers)
        if asked not in self._found:
            self._found[asked] = [
                one
                for one in self.series
                if all(matcher.matches(dict(one.labels)) for matcher in asked)
            ]
        return self._found[asked]

    def at(self, series: Series, time_s: float) -> tuple[float, float] | None:
        """Time and value of the newest sample, None where there is none or it is stale."""
        place = bisect_right(series.times_s, time_s) - 1
        if place < 0 or series.values[place] is None:
            return None
        since_s = time_s - series.times_s[place]
        if since_s > LOOK_BACK_S or (since_s == LOOK_BACK_S and not self.is_closed):
            return None
        return series.times_s[place], series.values[place]

    def within(self, series: Series, start_s: float, end_s: float) -> list[tuple[float, float]]:
        """Times and values of a range, without marks of staleness."""
        cut = bisect_left if self.is_closed else bisect_right
        first, last = cut(series.times_s, start_s), bisect_right(series.times_s, end_s)
        pairs = zip(series.times_s[first:last], series.values[first:last], strict=True)
        return [(time_s, value) for time_s, value in pairs if value is not None]
