"""Pictures of DistributedDataParallel: two ranks beside one process; a real group of batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.clock import Interval, Timeline
from gpuedu.clock.timeline import Span, intersection, length_s, union
from gpuedu.errors import AnswerError
from gpuedu.exercises.ddp_in_practice.torch_ddp.measure import BATCHES, LAYERS
from gpuedu.exercises.ddp_in_practice.torch_ddp.meetings import RANKS
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lanes
from gpuedu.units import format_time


def draw_real_group(real: Mapping[str, Any]) -> Any:
    """What ``measure("torch-ddp", train_epoch)`` gave: one group, by the profiler."""
    if not isinstance(real, dict) or "all_reduce" not in real:
        remedy = '`real = measure("torch-ddp", train_epoch)`'
        raise AnswerError("nothing was measured", remedy=remedy)
    computing = [tuple(one) for one in (*real["forward"], *real["backward"])]
    sending = [tuple(one) for one in real["all_reduce"] if one[1] > one[0]]
    if not sending:
        raise AnswerError("no all-reduce was under way in that group", remedy="Is it wrapped?")
    whole = union(sending)
    beside = f"{100 * length_s(intersection(whole, union(computing))) / length_s(whole):.0f}%"
    end_s = real["step"][1]
    caption = Caption(
        title=f"{len(sending)} all-reduces in a group of {BATCHES} batches; {beside} of their time "
        "during a layer",
        x="time",
        source=f"Measured here, just now: PyTorch's profiler, rank 0 of {RANKS} processes, gloo; "
        f"{LAYERS} layers, a bar for each.",
        alt=f"Timeline of rank 0 in a group of {BATCHES} batches, {format_time(end_s)} long: "
        f"{len(real['forward'])} layers forward and {len(real['backward'])} backward, and "
        f"{len(sending)} all-reduces. In {beside} of the time in which one was under way, a layer "
        "was computed.",
    )
    names = _name_sends(real, sending)
    rows = {
        "forward": ("work", real["forward"], [""] * len(real["forward"])),
        "backward": ("work", real["backward"], [""] * len(real["backward"])),
        "network": ("all-reduce", sending, names),
    }
    # The clock of the profiler has nanoseconds: ends and begins that meet do not overlap.
    bars = [
        Interval(lane, kind, round(a, 9), round(b, 9), name if name.isdigit() else "")
        for lane, (kind, times, labels) in rows.items()
        for (a, b), name in zip(times, labels, strict=True)
        if round(b, 9) > round(a, 9)
    ]
    ax = plot_lanes(Timeline.of(bars), caption=caption, lanes=tuple(rows), end_s=end_s)
    if names[-1] == "loss":
        _point_at_loss(ax, sending[-1][0] / end_s)
    return ax


def _name_sends(real: Mapping[str, Any], sending: Sequence[Span]) -> list[str]:
    """Numbers of buckets, and "loss" behind them; no names where these are not all there is."""
    buckets = real.get("buckets", 0)
    numbers = [str(place) for place in range(1, buckets + 1)]
    if len(sending) == buckets:
        return numbers
    last_s = max(one[1] for one in real["backward"])
    if len(sending) == buckets + 1 and sending[-1][0] > last_s:
        return [*numbers, "loss"]
    return [""] * len(sending)


def _point_at_loss(ax: Any, share: float) -> None:
    """Name a bar of the last lane that is too narrow for a text; ``share`` of the time axis."""
    place = share * ax.get_xlim()[1], ax.get_yticks()[-1]
    arrow = {"arrowstyle": "-", "color": style.QUIET, "shrinkA": 0, "shrinkB": 2}
    look = {"textcoords": "offset points", "fontsize": 9.5, "color": style.INK}
    ax.annotate("loss", place, (0, 32), ha="center", arrowprops=arrow, **look)
