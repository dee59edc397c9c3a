"""Pictures of copies of a model: how far from one process, how far apart, and what a step sends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.ddp.replicas import State, Task, train_alone, train_ranks
from gpuedu.figures import style
from gpuedu.figures.bars import Bar, plot_bars
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption
from gpuedu.figures.exchanges import plot_exchanges

TASKS = {
    "every rank begins alike": Task("plain", ((4, 4, 4),) * 2),
    "each begins elsewhere": Task("plain", ((4, 4, 4),) * 2, apart=True),
    "shards of 4, 4 and 1": Task("plain", ((4, 4, 4), (4, 4, 1))),
    "a tied layer": Task("tied", ((4, 4, 4),) * 2),
    "a frozen layer": Task("frozen", ((4, 4, 4),) * 2),
    "unused parameters": Task("heads", ((4, 4, 4),) * 2),
    "a rank without samples": Task("plain", ((4, 4, 4), (4, 2, 0))),
}
STEPS = 8
_APART = Task("plain", ((6, 6),) * STEPS, apart=True)
_STEP = Task("frozen", ((4, 4, 4),))
_NOTHING, _ROUNDING = 1e-17, 1e-6
_LIMITS = 3e-18, 20.0
"""The same axis for a draft and for what is right, with room for a number behind a bar of 2."""


def draw_differences(start: Callable[..., Any], average: Callable[..., Any]) -> Any:
    """For each model and batch, the largest difference of a parameter from one process's."""
    bars, stopped = [], []
    for name, task in TASKS.items():
        try:
            off = difference(start, average, task)
        except AnswerError as fault:
            stopped.append(f"{name}: {fault.message}")
            bars.append(Bar(name, _NOTHING, "it stops", style.RED, "//"))
            continue
        is_rounding = off < _ROUNDING
        said = "rounding" if is_rounding else f"{off:.2g}"
        colour = style.GREEN if is_rounding else style.RED
        value = max(off, _NOTHING) if np.isfinite(off) else _NOTHING
        bars.append(Bar(name, value, said, colour, "" if is_rounding else "//"))
    told = "; ".join([f"{bar.name}: {bar.text}" for bar in bars] + stopped)
    caption = Caption(
        title="How far three ranks are from one process",
        x="largest difference of a parameter after 2 steps",
        source="Computed here in float64, for small models on light ranks.",
        alt=f"Bars for {len(bars)} runs of two steps. {told}.",
    )
    return plot_bars(bars, caption=caption, limits=_LIMITS)


def difference(start: Callable[..., Any], average: Callable[..., Any], task: Task) -> float:
    """Of any parameter of any rank after the last step; AnswerError where the run fails."""
    wanted = train_alone(task)[-1]
    run = train_ranks(start, average, task)
    found = max(distance(states[-1], wanted) for states in run.results)
    return found if np.isfinite(found) else float("nan")


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
        title=f"Two copies: {before} apart when training begins, {behind} after {STEPS} steps",
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
        x="simulated time, from the end of the backward",
        source="Simulated: 3 ranks of one node, NVLink 4 (3.4 µs a message, 450 GB/s).",
        alt=f"Timeline of three ranks in one step: {len(mine)} calls of rank 0 hand over {sent} "
        f"bytes and take {1e6 * time_s:.0f} microseconds, one after another.",
    )
    return plot_exchanges(calls, ranks=_STEP.ranks, caption=caption)


AVERAGING_PICTURES = {
    "naive-ddp": draw_differences,
    "ddp/apart": draw_apart,
    "ddp/one-step": draw_one_step,
}
