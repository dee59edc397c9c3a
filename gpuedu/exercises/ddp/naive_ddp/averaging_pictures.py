"""Pictures of copies of a model: how far from one process, how far apart, and what a step sends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.exercises.ddp.replicas import State, Task, train_ranks
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption
from gpuedu.figures.exchanges import plot_exchanges

STEPS = 8


_APART = Task("plain", ((6, 6),) * STEPS, apart=True)


_STEP = Task("frozen", ((4, 4, 4),))


def distance(mine: State, theirs: State) -> float:
    """The largest difference between two states."""
    return max(float(np.abs(a - b).max()) for a, b in zip(mine, theirs, strict=True))


def draw_apart(start: Callable[..., Any], average: Callable[..., Any]) -> Any:
    """How far two copies are from each other, step by step, that began with different numbers."""
    first, second = train_ranks(start, average, _APART).results
    apart = tuple(distance(a, b) for a, b in zip(first, second, strict=True))
    line = CountLine("", tuple(range(STEPS + 1)), apart, style.BLUE)
    before, behind = f"{apart[0]:.3g}", f"{apart[-1]:.3g}"
    caption = Caption(
        title=f"Two copies: {before} apart when training starts, {behind} after {STEPS} steps",
        x="steps",
        y="largest difference",
        source="Computed here in float64, for a small model on 2 light ranks.",
        alt=f"A line: the largest difference of a parameter between two ranks over {STEPS} steps. "
        f"It is {before} before the first step, and {behind} after the last.",
    )
    return plot_by_count([line], caption=caption)


def draw_one_step(start: Callable[..., Any], average: Callable[..., Any]) -> Any:
    """The exchanges of one step of three ranks, with those of the start left out."""
    begun = train_ranks(start, average, _STEP, steps=0)
    run = train_ranks(start, average, _STEP)
    from_s = begun.time_s
    calls = [
        replace(
            one,
            posted_s=one.posted_s - from_s,
            start_s=one.start_s - from_s,
            end_s=one.end_s - from_s,
        )
        for one in run.exchanges[len(begun.exchanges) :]
    ]
    mine = [one for one in calls if one.rank == 0]
    time_s, sent = run.time_s - from_s, sum(one.size_bytes for one in mine)
    caption = Caption(
        title=f"Your step: {len(mine)} calls on each rank, {1e6 * time_s:.0f} µs for {sent} bytes",
        x="simulated time, from the end of the backward pass",
        source="Simulated: 3 ranks of one node, NVLink 4 (3.4 µs a message, 450 GB/s).",
        alt=f"Timeline of three ranks in one step: {len(mine)} calls of rank 0 hand over {sent} "
        f"bytes and take {1e6 * time_s:.0f} microseconds, one after another.",
    )
    return plot_exchanges(calls, ranks=_STEP.ranks, caption=caption)
