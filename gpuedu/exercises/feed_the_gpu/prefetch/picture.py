"""A prefetcher's timelines: a whole run, a consumer that stops early, a source that fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gpuedu.clock import Interval, Timeline
from gpuedu.errors import AnswerError
from gpuedu.exercises.feed_the_gpu.prefetch.runs import (
    Wanted,
    Watched,
    watch,
    watch_for_real,
)
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lane_groups
from gpuedu.units import MS

_COUNT = 8
_READS_S = tuple(ms * MS for ms in (10, 7, 6, 8, 18, 7, 9, 8))
_STEPS_S = (14 * MS,) * _COUNT
IN_TURN_S = sum(_READS_S) + sum(_STEPS_S)
"""The whole run if nobody reads ahead."""
RUNS = {
    "all 8 items": Wanted(_READS_S, _STEPS_S, 1),
    "the consumer stops after 2": Wanted(_READS_S, _STEPS_S, 1, stop_after=2),
    "reading item 4 fails": Wanted(_READS_S, _STEPS_S, 1, fault_at=4),
}
_HURRY = Wanted((2 * MS,) * _COUNT, _STEPS_S, 1, stop_after=2)
"""For real, the disk is fast and the consumer stops: a thread that waits for room must be freed."""
REAL_LIMIT_S = 3.0
"""Real seconds after which a run is given up; it takes a tenth of one."""
_AFTER_S, _MOST_S = 6 * MS, 200 * MS
"""What is drawn behind the end, for waits that never end; and where the axis ends at the latest."""


def draw_prefetch(prefetch: Callable[..., Any]) -> Any:
    """Three runs of the learner's prefetcher with one place, each with how it ended."""
    runs = {name: (watch(prefetch, wanted), wanted) for name, wanted in RUNS.items()}
    said = [f"{name}: {how_it_ended(seen, wanted)}" for name, (seen, wanted) in runs.items()]
    ends_s = [seen.timeline.end_s for seen, _ in runs.values()]
    end_s = min(max(ends_s) + _AFTER_S, _MOST_S)
    lines = [_with_waits_for_ever(seen, end_s) for seen, _ in runs.values()]
    caption = Caption(
        title=f"{_name_of(prefetch)}, three times",
        x="simulated time",
        source="Simulated; an item takes 6 to 18 ms to read, a step 14 ms, depth 1. Without "
        f"reading ahead, all 8 items would take {1e3 * IN_TURN_S:.0f} ms.",
        alt="Timelines of disk, thread, main program and device in three runs. "
        + "; ".join(said)
        + ".",
    )
    groups = list(zip(said, lines, strict=True))
    lanes = ["disk", *_threads(lines), "main", "compute"]
    return plot_lane_groups(groups, caption=caption, lanes=lanes, end_s=end_s)


def _name_of(prefetch: Callable[..., Any]) -> str:
    name = getattr(prefetch, "__name__", "")
    return name[:40] if type(name) is str and name else "Your prefetcher"


def how_it_ended(seen: Watched, wanted: Wanted) -> str:
    """A run in a few words."""
    count = f"{len(seen.got)} arrived"
    if seen.stuck:
        return f"{count}, then it hangs"
    if seen.left:
        return f"{count}, {' and '.join(name for name, _ in seen.left)} is left behind"
    if wanted.fault_at is not None:
        return f"{count}, then {'the exception' if seen.raised else 'a silent end'}"
    if wanted.stop_after is not None and seen.late > wanted.depth:
        return f"{count}, and the thread reads on"
    return f"{count}, over after {1e3 * seen.end_s:.0f} ms"


def _with_waits_for_ever(seen: Watched, end_s: float) -> Timeline:
    """The timeline, with the waits that never end drawn to the end of the axis."""
    lost = [
        Interval(name, "wait", _last_end(seen.timeline, name), end_s, f"{_short(what)}, forever")
        for name, what in (*seen.waiting, *seen.left)
    ]
    seen_until = [one for one in seen.timeline.intervals if one.start_s < end_s]
    return Timeline.of([*_joined(seen_until), *lost])


def _joined(intervals: Sequence[Interval]) -> list[Interval]:
    """Waits of a lane that follow each other as one: who polls waits a thousand times."""
    joined: list[Interval] = []
    last: dict[str, int] = {}
    for one in intervals:
        before = joined[last[one.lane]] if one.lane in last else None
        if (
            before is not None
            and one.kind in ("wait", "sleep")
            and (before.kind, before.label, before.end_s) == (one.kind, one.label, one.start_s)
        ):
            joined[last[one.lane]] = replace(before, end_s=one.end_s)
        else:
            last[one.lane] = len(joined)
            joined.append(one)
    return joined


def _short(what: str) -> str:
    """What is waited for, as short as a bar wants it."""
    return "room" if what.startswith("room in") else "an item" if "an item" in what else what


def _last_end(timeline: Timeline, lane: str) -> float:
    """When a thread was last seen: its own waiting, or its reading from the disk."""
    own = [one.end_s for one in timeline.on(lane)]
    if lane == "main":
        own += [one.end_s for one in timeline.on("compute")]
    else:
        own += [one.end_s for one in timeline.on("disk")]
    return max(own, default=0.0)


def _threads(timelines: list[Timeline]) -> list[str]:
    known = ("disk", "main", "compute")
    return list(
        dict.fromkeys(name for line in timelines for name in line.lanes if name not in known)
    )


def draw_prefetch_for_real(prefetch: Callable[..., Any]) -> Any:
    """On this machine's own clock: a run that reads ahead, one that does not, and an early stop.

    Only once the simulated runs come out right; AnswerError where it hangs for real.
    """
    runs = {"all 8 items": RUNS["all 8 items"], "a fast disk, and a stop after 2": _HURRY}
    for wanted in (*RUNS.values(), _HURRY):
        seen = watch(prefetch, wanted)
        if seen.stuck or seen.left:
            raise AnswerError(
                "on the simulated clock it hangs or leaves a thread behind: here it would, too",
                remedy='Make `check("prefetch", prefetch)` pass first.',
            )
    real = {name: watch_for_real(prefetch, wanted, REAL_LIMIT_S) for name, wanted in runs.items()}
    plain = watch_for_real(lambda source, depth: source, RUNS["all 8 items"], REAL_LIMIT_S)
    said = [f"{name}: {how_it_ended(real[name], runs[name])}" for name in runs]
    ideal_s = watch(prefetch, runs["all 8 items"]).end_s
    caption = Caption(
        title="The same code on this machine",
        x="real time",
        source="Measured now, shown only: sleeps stand for disk and device. On the simulated "
        f"clock your run of 8 items took {1e3 * ideal_s:.0f} ms.",
        alt="Timelines of disk and device on the real clock. "
        + "; ".join(said)
        + f"; without reading ahead {1e3 * plain.end_s:.0f} ms for all 8; on the simulated clock, "
        f"with it, {1e3 * ideal_s:.0f} ms.",
    )
    groups = [(told, real[name].timeline) for told, name in zip(said, runs, strict=True)]
    groups.insert(0, (f"without reading ahead: {1e3 * plain.end_s:.0f} ms", plain.timeline))
    return plot_lane_groups(groups, caption=caption, lanes=("disk", "compute"))


PICTURE = draw_prefetch
