"""stall-fraction: the stall share by places as its picture; a queue's timeline beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.clock import Interval, Timeline
from gpuedu.errors import AnswerError
from gpuedu.exercises.feed_the_gpu.feeding import feed, feed_in_turn
from gpuedu.exercises.feed_the_gpu.stall_fraction.schedules import (
    RARE,
    SLOW,
    STEADY,
    STEP_S,
    STEPS,
    loads_of,
)
from gpuedu.exercises.plain import number
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lane_groups
from gpuedu.units import MS

PLACES = tuple(range(1, 9))
_LOADS_MS, _COMPUTE_MS = (3, 3, 3, 3, 3, 33, 3), 9


def draw_queue() -> Any:
    """Seven batches, in turn and through a queue of two places; one of them loads slowly."""
    loads, computes = [ms * MS for ms in _LOADS_MS], [_COMPUTE_MS * MS] * len(_LOADS_MS)
    in_turn, queued = feed_in_turn(loads, computes), feed(loads, computes, 2)
    ends = in_turn.done_s[-1] / MS, queued.done_s[-1] / MS
    caption = Caption(
        title="A queue lets the loader work ahead, as far as it has room",
        x="simulated time",
        source="Simulated: batches take 3 ms to load, number 5 takes 33 ms; a step takes 9 ms.",
        alt=f"Timelines of a loader and a device over seven batches. One after the other they take "
        f"{ends[0]:.0f} ms. With a queue of 2 places {ends[1]:.0f} ms: the loader gets ahead and "
        "waits for room, at most two batches are in the queue, and the device waits only while "
        "the slow batch is loaded.",
    )
    groups = [("one after the other", _with_waits(in_turn.timeline))]
    groups.append(("a queue of 2 places", queued.timeline))
    return plot_lane_groups(groups, caption=caption, lanes=("loader", "queue", "device"))


def _with_waits(in_turn: Timeline) -> Timeline:
    """The timeline of two that take turns, with each one's waits while the other works."""
    other = {"loader": "device", "device": "loader"}
    waits = [
        Interval(other[one.lane], "wait", one.start_s, one.end_s)
        for one in in_turn.intervals
        if one.lane in other
    ]
    return Timeline.of([*in_turn.intervals, *waits])


def draw_stall_fraction(stall_share: Callable[..., Any]) -> Any:
    """The learner's stall share against the places of the queue, for three loaders."""
    colors = {STEADY: style.GREEN, RARE: style.BLUE, SLOW: style.RED}
    lines, told = [], []
    for kind, color in colors.items():
        loads = loads_of(kind)
        shares = [_share(stall_share, loads, depth) for depth in PLACES]
        lines.append(CountLine(kind, PLACES, tuple(shares), color))
        told.append(f"{kind}: {_percent(shares[0])} with one place, {_percent(shares[-1])} with 8")
    caption = Caption(
        title="A longer queue cures uneven loading, not slow loading",
        x="places of the queue",
        y="share in which the device waits",
        source=f"Your `stall_share`, {STEPS} steps of 10 ms.",
        alt="Share of the time in which the device waits, by places of the queue. "
        + "; ".join(told)
        + ".",
    )
    return plot_by_count(lines, caption=caption, format_y=_percent)


def _share(stall_share: Callable[..., Any], loads_s: Any, depth: int) -> float:
    try:
        return float(number(stall_share(list(loads_s), [STEP_S] * STEPS, depth)))
    except AnswerError:
        return float("nan")


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


PICTURE = draw_stall_fraction
