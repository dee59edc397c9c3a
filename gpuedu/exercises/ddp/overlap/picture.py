"""overlap: its picture, a step with its exchange after the backward pass, and beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gpuedu.clock import Interval, Timeline
from gpuedu.exercises.ddp.overlap.exchange_ways import attach_late, attach_none
from gpuedu.exercises.ddp.overlap.layered import Plan
from gpuedu.exercises.ddp.overlap.overlap_runs import cluster_of, train_overlapped
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lane_groups
from gpuedu.units import MS

RANKS, LAYERS, WIDTH = 4, 8, 24
PLAN = Plan((WIDTH,) * (LAYERS + 1), (1 * MS,) * LAYERS, (((),) * RANKS,), RANKS, seed=1)
BUCKETS = [[2 * layer + 1, 2 * layer] for layer in reversed(range(LAYERS))]
"""Bias and weight of each layer, from the last to the first."""
LATENCY_S, BYTES_PER_S = 0.075 * MS, 9.6e6
EXCHANGE_S = 1.2 * MS
"""What a layer's all-reduce takes with them, of which 0.45 ms are latency."""


def draw_overlap(attach: Callable[..., Any]) -> Any:
    """A step of the learner's between the two that send when the backward is over."""
    name = "the draft" if getattr(attach, "__name__", "") == "draft" else "your hooks"
    hide = "hides" if name == "the draft" else "hide"
    ways = {
        "one all-reduce per parameter, after the backward pass": attach_none,
        "one all-reduce per bucket, after the backward pass": attach_late,
        name: attach,
    }
    cluster = cluster_of(RANKS, LATENCY_S, BYTES_PER_S)
    runs = {way: train_overlapped(do, PLAN, BUCKETS, cluster) for way, do in ways.items()}
    groups = [(f"{way}: {_ms(run.time_s)}", lanes_of(run.timeline)) for way, run in runs.items()]
    late, mine = list(runs.values())[1:]
    saved = late.time_s - mine.time_s
    told = f"{_ms(saved)} less" if saved > 0 else f"{_ms(-saved)} more"
    share = f"{100 * max(0.0, saved) / (LAYERS * EXCHANGE_S):.0f}% of the exchange"
    caption = Caption(
        title=f"{name.capitalize()} {hide} {share}: {told} than sending afterwards",
        x="simulated time of rank 0",
        source=f"Simulated: {RANKS} ranks; {LAYERS} layers, 0.5 ms forward and 1 ms backward each; "
        "a made-up network, 1.2 ms for the gradients of a layer.",
        alt="Timelines of what rank 0 computes and what its network carries in one step, three "
        "times. "
        + "; ".join(head for head, _ in groups)
        + f". {name.capitalize()} {hide} {share}.",
    )
    return plot_lane_groups(groups, caption=caption, lanes=("rank 0", "network"))


_DIGITS = 12
"""Times are rounded to so many, so that ends and starts that meet do not overlap."""


def lanes_of(timeline: Timeline) -> Timeline:
    """Rank 0 alone: what it computes and waits for, and its all-reduces in a lane of their own."""
    return Timeline.of(_shown(timeline.on("rank 0")))


def _shown(intervals: Sequence[Interval]) -> list[Interval]:
    shown = []
    for one in intervals:
        start_s, end_s = round(one.start_s, _DIGITS), round(one.end_s, _DIGITS)
        at = replace(one, start_s=start_s, end_s=end_s)
        if one.kind == "collective":
            shown.append(replace(at, lane="network", kind="all-reduce", label=""))
        elif one.kind == "wait":
            shown.append(replace(at, label="all-reduce"))
        else:
            shown.append(replace(at, kind="work", label=one.label.split(" ")[-1]))
    return shown


def _ms(time_s: float) -> str:
    return f"{time_s / MS:.4g} ms"


PICTURE = draw_overlap
