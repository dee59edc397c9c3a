"""gpipe: its picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.pipelines.pipeline_pictures import counts_of, draw_lists
from gpuedu.exercises.pipelines.schedules import lists_of


def draw_gpipe(gpipe: Callable[..., Any], stages: int = 4, micro_batches: int = 8) -> Any:
    """What each stage does when; every stage keeps all micro-batches."""
    counts = counts_of(stages, micro_batches)
    lists = lists_of(gpipe, *counts)
    title = f"{counts[0]} stages, {counts[1]} micro-batches"
    return draw_lists(lists, counts[1], [counts[1]] * counts[0], title)


PICTURE = draw_gpipe
