"""What happened when: intervals on lanes, and how they cover and wait for each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

Span = tuple[float, float]
"""Start and end, in seconds."""


@dataclass(frozen=True)
class Interval:
    """Something that took time on one lane.

    ``lane`` says who: "host", "disk", "compute", "worker 2". ``kind`` says what sort of thing, and
    a figure colors by it: "work", "read", "copy", "kernel", "launch", "sleep", "wait". ``label``
    says which one. ``start_s`` and ``end_s`` are seconds of the clock that recorded it.
    """

    lane: str
    kind: str
    start_s: float
    end_s: float
    label: str = ""

    @property
    def duration_s(self) -> float:
        """How long it took."""
        return self.end_s - self.start_s


@dataclass(frozen=True)
class Timeline:
    """Intervals in the order in which they began.

    Waiting and sleeping (kinds "wait" and "sleep") are on it to be seen, and do not count as busy.

    >>> line = Timeline.of([Interval("disk", "read", 0, 2), Interval("compute", "kernel", 1.5, 3)])
    >>> line.busy_s("disk"), line.overlap_s("disk", "compute"), line.waited_for("compute", ["disk"])
    (2.0, 0.5, {'disk': 1.5, '': 0.0})
    """

    intervals: tuple[Interval, ...]

    @classmethod
    def of(cls, intervals: Iterable[Interval]) -> Timeline:
        """A timeline of these intervals, sorted by start, then by end, then by lane."""
        return cls(tuple(sorted(intervals, key=lambda one: (one.start_s, one.end_s, one.lane))))

    @property
    def lanes(self) -> tuple[str, ...]:
        """Every lane once, in the order of its first interval."""
        return tuple(dict.fromkeys(one.lane for one in self.intervals))

    @property
    def end_s(self) -> float:
        """When the last interval ends; 0 for an empty timeline."""
        return max((one.end_s for one in self.intervals), default=0.0)

    def on(self, lane: str, kind: str | None = None) -> tuple[Interval, ...]:
        """The intervals of one lane, and of one kind if given."""
        return tuple(one for one in self.intervals if one.lane == lane and kind in (None, one.kind))

    def busy(self, lane: str) -> tuple[Span, ...]:
        """When the lane did something: spans that neither touch nor overlap."""
        return union(
            (one.start_s, one.end_s) for one in self.on(lane) if one.kind not in ("wait", "sleep")
        )

    def busy_s(self, lane: str) -> float:
        """How long the lane did something; what overlaps counts once."""
        return length_s(self.busy(lane))

    def idle(self, lane: str) -> tuple[Span, ...]:
        """When the lane did nothing, between 0 and the end of the timeline."""
        return difference([(0.0, self.end_s)], self.busy(lane))

    def overlap_s(self, first: str, second: str) -> float:
        """How long both lanes did something at the same time."""
        return length_s(intersection(self.busy(first), self.busy(second)))

    def waited_for(self, lane: str, others: Sequence[str]) -> dict[str, float]:
        """Whose work filled the lane's idle time, in seconds.

        Each idle instant goes to the first of ``others`` that was busy then, so list them in the
        order of blame; "" is the time in which none of them did anything.
        """
        left = self.idle(lane)
        blamed = {}
        for other in others:
            theirs = self.busy(other)
            blamed[other] = length_s(intersection(left, theirs))
            left = difference(left, theirs)
        return {**blamed, "": length_s(left)}


def union(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The instants in at least one span, as sorted spans that do not touch.

    >>> union([(2, 3), (0, 1), (1, 1.5), (2.5, 4), (5, 5)])
    ((0, 1.5), (2, 4))
    """
    joined: list[Span] = []
    for start_s, end_s in sorted(spans):
        if end_s <= start_s:
            continue
        if joined and start_s <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end_s))
        else:
            joined.append((start_s, end_s))
    return tuple(joined)


def intersection(first: Iterable[Span], second: Iterable[Span]) -> tuple[Span, ...]:
    """The instants in both.

    >>> intersection([(0, 4)], [(1, 2), (3, 6)])
    ((1, 2), (3, 4))
    """
    return union(_common(union(first), union(second)))


def _common(first: Sequence[Span], second: Sequence[Span]) -> Iterator[Span]:
    """What each pair of spans shares: the one that ends first makes room for its next."""
    i = j = 0
    while i < len(first) and j < len(second):
        (a, b), (c, d) = first[i], second[j]
        yield max(a, c), min(b, d)
        if b <= d:
            i += 1
        else:
            j += 1


def difference(first: Iterable[Span], second: Iterable[Span]) -> tuple[Span, ...]:
    """The instants in the first and not in the second.

    >>> difference([(0, 4)], [(1, 2), (3, 6)])
    ((0, 1), (2, 3))
    """
    taken = union(second)
    ends = [-math.inf, *(end_s for _, end_s in taken)]
    starts = [*(start_s for start_s, _ in taken), math.inf]
    return intersection(first, zip(ends, starts, strict=True))


def length_s(spans: Iterable[Span]) -> float:
    """The total length of the spans, to the nanosecond; they must not overlap.

    >>> length_s([(0, 1), (2, 4)])
    3.0
    """
    return round(float(sum(end_s - start_s for start_s, end_s in spans)), 9)
