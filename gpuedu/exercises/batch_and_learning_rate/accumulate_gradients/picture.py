"""accumulate-gradients: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.accumulation import (
    Task,
    run_steps,
)
from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.batch_alone import big_batch_step
from gpuedu.figures import style
from gpuedu.figures.bars import Bar, plot_bars
from gpuedu.figures.caption import Caption

_TASKS = {
    "4 times 8 samples": Task((8, 8, 8, 8)),
    "8, 8, 8 and 2 samples": Task((8, 8, 8, 2)),
    "texts with padding": Task((6, 6, 6, 6), texts=True),
    "texts, one all padding": Task((6, 6, 6), texts=True, empty=1),
    "8, 8, 8 and 2, clipped": Task((8, 8, 8, 2), max_norm=0.05),
    "4 times 8, batch norm": Task((8, 8, 8, 8), batch_norm=True),
}


_NOTHING, _ROUNDING = 1e-17, 1e-6


def draw_differences(step: Any) -> Any:
    """For each way to cut a batch, the largest difference of a gradient from the big batch's."""
    bars = []
    for name, task in _TASKS.items():
        off = difference(step, task)
        if not np.isfinite(off):
            bars.append(Bar(name, float("nan"), ""))
            continue
        is_rounding = off < _ROUNDING
        said = "rounding" if is_rounding else f"{off:.2g}"
        color = style.GREEN if is_rounding else style.RED
        bars.append(Bar(name, max(off, _NOTHING), said, color, "" if is_rounding else "//"))
    told = "; ".join(f"{bar.name}: {bar.text or 'not a number'}" for bar in bars)
    caption = Caption(
        title="How far the gradient is from the big batch's",
        x="largest difference, as a share of the largest gradient",
        source="Computed here in float64, for a small model.",
        alt=f"Dots for {len(bars)} ways to cut a batch. {told}.",
    )
    return plot_bars(bars, caption=caption)


def difference(step: Any, task: Task) -> float:
    """As a share of the largest number of the big batch's gradient, in the first step."""
    wanted, mine = (run_steps(one, task)[0].gradients for one in (big_batch_step, step))
    if not mine:
        return float("nan")
    scale = max(np.abs(one).max() for one in wanted)
    return float(max(np.abs(a - b).max() for a, b in zip(mine, wanted, strict=True)) / scale)


PICTURE = draw_differences
