"""What a finding is, and what counts as evidence for one.

A finding needs evidence in every counted step (nine in ten will do, since a last batch is smaller
and an evaluation comes in between); what happens now and then is not a fault.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median

from gpuedu.profiling import branches
from gpuedu.profiling.calls import QUEUED, UPLOAD
from gpuedu.profiling.lessons import lesson_for
from gpuedu.profiling.records import Call, Watched
from gpuedu.training.call_sites import CallSite

MUCH_WAITING = 0.1
"""Share of a step in the loader above which it is a finding."""


@dataclass(frozen=True)
class Finding:
    """Something that costs.

    ``rank`` sorts: the kind of cost, then how much of it, negated. ``cost`` is for a person,
    ``per_step`` its number and ``unit`` what that counts. ``places`` are lines, each with what was
    seen there. A suggestion is something that would help although nothing is wrong.
    """

    kind: str
    title: str
    cost: str
    per_step: float
    unit: str
    places: tuple[tuple[CallSite, str], ...]
    advice: str
    rank: int
    is_suggestion: bool = field(default=False)

    @property
    def lesson(self) -> str:
        """The lesson that teaches the remedy, and its exercise."""
        return lesson_for(self.kind)


def is_steady(steps: Iterable[int], watched: Watched) -> bool:
    """True if something happened in (nearly) every counted step."""
    return bool(watched.counted) and len(set(steps)) >= math.ceil(0.9 * watched.counted)


def by_line(calls: Iterable[Call]) -> list[list[Call]]:
    """The calls of each line; within one, those of each line of a library that it calls."""
    found: dict[tuple[str, int, str], list[Call]] = {}
    for one in calls:
        found.setdefault((one.site.file, one.site.line, one.inside), []).append(one)
    return list(found.values())


def steady_lines(calls: Iterable[Call], watched: Watched) -> list[list[Call]]:
    """The calls of each line that runs in every step and is not only for CPUs."""
    return [
        group
        for group in by_line(calls)
        if is_steady((one.step for one in group), watched)
        and not (watched.stand_in and branches.is_for_cpu(group[0].site.file, group[0].site.line))
    ]


def is_wait(call: Call) -> bool:
    """Whether a call is one in which the host waits for the device's values.

    A gradient scaler asks once in each step whether all gradients are finite; that is its work.
    """
    return call.kind not in (UPLOAD, QUEUED) and not call.site.via.startswith("GradScaler")


def times(count: float, what: str, plural: str = "") -> str:
    """A count for each step.

    >>> times(1.0, "wait"), times(2.5, "copy", "copies")
    ('1 wait a step', '2.5 copies a step')
    """
    shown = f"{count:,.0f}" if math.isclose(count, round(count)) or count >= 20 else f"{count:.1f}"
    return f"{shown} {what if shown == '1' else plural or what + 's'} a step"


def waiting(watched: Watched) -> tuple[float, float]:
    """The share of a step in loaders, and the seconds: medians over the steps that were timed.

    If too few were timed, those of the warm-up without the first.
    """
    steps = watched.of_phase("timed")
    steps = steps if len(steps) >= 3 else watched.of_phase("warm-up")[1:]
    waits: dict[int, float] = {}
    for one in watched.waits:
        waits[one.step] = waits.get(one.step, 0.0) + one.time_s
    pairs = [(waits.get(one.number, 0.0), one.time_s) for one in steps if one.time_s > 0]
    if not pairs:
        return 0.0, 0.0
    return median(wait / step for wait, step in pairs), median(wait for wait, _ in pairs)
