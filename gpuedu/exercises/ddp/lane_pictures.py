"""Timelines of ranks as pictures show them: each stretch of time once, under its usual name."""

from __future__ import annotations

from dataclasses import replace

from gpuedu.clock import Interval, Timeline

_KINDS = {"kernel": "work", "collective": "all-reduce"}


def shown(timeline: Timeline) -> Timeline:
    """The timeline without the waits that a collective of the same rank covers."""
    bars = [one for one in timeline.intervals if one.kind == "collective"]

    def is_covered(wait: Interval) -> bool:
        return any(
            bar.lane == wait.lane
            and bar.start_s <= wait.start_s + 1e-12
            and wait.end_s <= bar.end_s + 1e-12
            for bar in bars
        )

    kept = [one for one in timeline.intervals if one.kind != "wait" or not is_covered(one)]
    return Timeline.of([replace(one, kind=_KINDS.get(one.kind, one.kind)) for one in kept])
