"""interleaved: its picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.pipelines.pipeline_pictures import counts_of, draw_lists
from gpuedu.exercises.pipelines.pipeline_runs import Costs
from gpuedu.exercises.pipelines.schedules import lists_of
from gpuedu.exercises.plain import number, whole_number


def draw_interleaved(
    interleaved: Callable[..., Any],
    stages: int = 4,
    micro_batches: int = 8,
    chunks: int = 2,
    message: float = 0.0,
) -> Any:
    """What each stage does when, in which chunk; a message takes ``message``."""
    p, m = counts_of(stages, micro_batches)
    v = max(1, whole_number(chunks, "`chunks`"))
    if m % p:
        raise AnswerError(f"{m} micro-batches are no multiple of {p} stages")
    costs = Costs(1.0, 2.0, float(number(message, "`message`")))
    most = [min(m * v, 2 * (p - 1 - stage) + (v - 1) * p + 1) for stage in range(p)]
    title = f"{p} stages of {v} chunk{'' if v == 1 else 's'}, {m} micro-batches"
    return draw_lists(lists_of(interleaved, p, m, v), m, most, title, chunks=v, costs=costs)


PICTURE = draw_interleaved
