"""one-f-one-b: its picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.pipelines.pipeline_pictures import counts_of, draw_lists
from gpuedu.exercises.pipelines.schedules import lists_of


def draw_one_f_one_b(
    one_f_one_b: Callable[..., Any], stages: int = 4, micro_batches: int = 8
) -> Any:
    """What each stage does when, and keeps meanwhile."""
    counts = counts_of(stages, micro_batches)
    lists = lists_of(one_f_one_b, *counts)
    most = [min(counts[1], counts[0] - stage) for stage in range(counts[0])]
    title = f"{counts[0]} stages, {counts[1]} micro-batches"
    return draw_lists(lists, counts[1], most, title)


PICTURE = draw_one_f_one_b
