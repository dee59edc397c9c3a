"""Pictures of accumulation: how far a gradient is from the big batch's, and what a step holds."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.accumulation import (
    Task,
    passing_bytes,
    watch_step,
)
from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.batch_alone import big_batch_step
from gpuedu.figures.caption import Caption
from gpuedu.figures.training.memory import plot_memory
from gpuedu.units import format_size

_WIDE = Task(sizes=(64,) * 4, width=64)


def draw_accumulated(step: Any) -> Any:
    """Memory over the learner's step of four micro-batches, under the big batch's peak."""
    from gpuedu.training.memory import peak_bytes, points

    trace = watch_step(step, _WIDE)
    big = peak_bytes(watch_step(big_batch_step, _WIDE))
    caption = Caption(
        title=f"Your step of 4 micro-batches: {format_size(peak_bytes(trace))} at its peak",
        x="moments, one per storage allocated or freed; above: micro-batch by number",
        y="memory",
        source="Counted storage by storage: 4 micro-batches of 64, float64.",
        alt=f"Areas over a step that peaks at {format_size(peak_bytes(trace))}, with "
        f"{format_size(passing_bytes(step, _WIDE))} of what comes and goes; the big batch peaks at "
        f"{format_size(big)}.",
    )
    return plot_memory(points(trace), caption=caption, budget_bytes=big, budget_name="big batch")
