"""naive-ddp: its picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.ddp.naive_ddp.averaging_pictures import distance
from gpuedu.exercises.ddp.replicas import Task, train_ranks
from gpuedu.exercises.ddp.replicas_alone import train_alone
from gpuedu.figures import style
from gpuedu.figures.bars import Bar, plot_bars
from gpuedu.figures.caption import Caption

TASKS = {
    "equal starts": Task("plain", ((4, 4, 4),) * 2),
    "different starts": Task("plain", ((4, 4, 4),) * 2, apart=True),
    "shards of 4, 4 and 1": Task("plain", ((4, 4, 4), (4, 4, 1))),
    "a tied layer": Task("tied", ((4, 4, 4),) * 2),
    "a frozen layer": Task("frozen", ((4, 4, 4),) * 2),
    "unused parameters": Task("heads", ((4, 4, 4),) * 2),
    "a rank without samples": Task("plain", ((4, 4, 4), (4, 2, 0))),
}


_NOTHING, _ROUNDING = 1e-17, 1e-6


_LIMITS = 3e-18, 20.0
"""The same axis for a draft and for what is right, with room for a number beside a value of 2."""


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
        color = style.GREEN if is_rounding else style.RED
        value = max(off, _NOTHING) if np.isfinite(off) else _NOTHING
        bars.append(Bar(name, value, said, color, "" if is_rounding else "//"))
    told = "; ".join([f"{bar.name}: {bar.text}" for bar in bars] + stopped)
    caption = Caption(
        title="How far three ranks are from one process",
        x="largest difference of a parameter after 2 steps",
        source="Computed here in float64, for small models on light ranks.",
        alt=f"Dots for {len(bars)} runs of two steps. {told}.",
    )
    return plot_bars(bars, caption=caption, limits=_LIMITS)


def difference(start: Callable[..., Any], average: Callable[..., Any], task: Task) -> float:
    """Of any parameter of any rank after the last step; AnswerError where the run fails."""
    wanted = train_alone(task)[-1]
    run = train_ranks(start, average, task)
    found = max(distance(states[-1], wanted) for states in run.results)
    return found if np.isfinite(found) else float("nan")


PICTURE = draw_differences
