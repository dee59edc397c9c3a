"""The trace of a real step: what rank 0 computed, and when its all-reduces were under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.clock import Interval, Timeline
from gpuedu.clock.timeline import intersection, length_s, union
from gpuedu.errors import AnswerError
from gpuedu.exercises.ddp.overlap.measure import LAYERS, RANKS
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lanes
from gpuedu.units import format_time


def draw_real_trace(real: Mapping[str, Any]) -> Any:
    """What ``measure("overlap", attach)`` gave: one step, by the profiler."""
    if not isinstance(real, dict) or "all_reduce" not in real:
        raise AnswerError("nothing was measured", remedy='`real = measure("overlap", attach)`')
    computing = [tuple(one) for one in (*real["forward"], *real["backward"])]
    sending = [tuple(one) for one in real["all_reduce"]]
    if not sending:
        raise AnswerError("no all-reduce was under way in that step", remedy="Is `attach` right?")
    whole_s = length_s(union(sending))
    beside_s = length_s(intersection(union(sending), union(computing)))
    share = f"{100 * beside_s / whole_s:.0f}%"
    caption = Caption(
        title=f"A real step: during {share} of the exchange, a layer was computed",
        x="time",
        source=f"Measured here, just now: PyTorch's profiler, rank 0 of {RANKS} processes, gloo; "
        f"{LAYERS} layers, a bucket each.",
        alt=f"Timeline of rank 0 in a step of {format_time(real['step'][1])}: {LAYERS} layers "
        f"forward and backward, and {len(sending)} all-reduces, as the profiler saw them. "
        f"In {share} of the time in which one was under way, a layer was computed.",
    )
    lanes = ("rank 0", "network")
    return plot_lanes(_timeline(real), caption=caption, lanes=lanes, end_s=real["step"][1])


def _timeline(real: Mapping[str, Any]) -> Timeline:
    def bars(lane: str, kind: str, times: Sequence[Sequence[float]], label: str) -> list[Interval]:
        # The clock of the profiler has nanoseconds: ends and begins that meet do not overlap.
        return [Interval(lane, kind, round(a, 9), round(b, 9), label) for a, b in times if b > a]

    return Timeline.of(
        [
            *bars("rank 0", "work", real["forward"], "forward"),
            *bars("rank 0", "work", real["backward"], "backward"),
            *bars("network", "all-reduce", real["all_reduce"], ""),
        ]
    )
