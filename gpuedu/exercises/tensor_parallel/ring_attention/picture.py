"""ring-attention: which block each rank computes when, and the blocks that rank 0 has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.clock import Interval, Timeline
from gpuedu.exercises.ranks import Ranked
from gpuedu.exercises.tensor_parallel.ring_attention.attention_alone import (
    attend_whole,
    first_unscored,
)
from gpuedu.exercises.tensor_parallel.ring_attention.ring_runs import RingTask, attend_in_ring
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lanes
from gpuedu.units import MS

_RANKS, _TOKENS = 4, 6
_TASK = RingTask((_TOKENS,) * _RANKS, 5, False, 1 * MS / _TOKENS**2, 0.1 * MS, 0.8e6)
_ROUNDING = 1e-9
_END_S = 6.5 * MS
_DIGITS = 12
"""Times are rounded to so many, so that ends and begins that meet do not overlap."""


def draw_ring(ring_attention: Callable[..., Any], causal: bool = False) -> Any:
    """Lanes of four ranks: each bar is a block of keys, by the number of the rank that has it.

    Args:
        ring_attention: the learner's function.
        causal: whether to mask what comes after a token.
    """
    task = replace(_TASK, causal=causal)
    run = attend_in_ring(ring_attention, task)
    wanted = task.split(attend_whole(task))
    off = [
        float(np.abs(one.outputs - true).max())
        for one, true in zip(run.results, wanted, strict=True)
    ]
    wrong = [rank for rank, by in enumerate(off) if not by < _ROUNDING]
    said = "all outputs right"
    if wrong:
        said = f"WRONG on rank{'s' * (len(wrong) > 1)} {', '.join(map(str, wrong))}"
    elif first_unscored(task, [one.scored for one in run.results]):
        said = "right, but without `scores`"
    peak = run.results[0].memory.most_at_once
    mask = "Causal mask" if causal else "No mask"
    told = f"{mask}: {run.time_s / MS:.3g} ms, up to {peak} buffers on rank 0; {said}"
    caption = Caption(
        title=told,
        x="simulated time",
        source="Simulated: 4 ranks, 6 tokens each; a block takes 1 ms, a message 0.7 ms. Block 2 "
        "has the keys of rank 2.\nBuffers of rank 0: each bar is one from `allocate`.",
        alt="Timelines of what four ranks compute and wait for, what rank 0 sends and which "
        f"buffers it has, {'with' if causal else 'without'} a causal mask. {told}.",
    )
    lanes = [*(f"rank {rank}" for rank in range(_RANKS)), "rank 0 sends", "its buffers"]
    return plot_lanes(_lanes_of(run), caption=caption, lanes=lanes, end_s=max(_END_S, run.time_s))


def _lanes_of(run: Ranked) -> Timeline:
    shown: list[Interval] = []
    waited: dict[str, Interval] = {}
    for one in run.timeline.intervals:
        if one.kind == "wait":
            last = waited.get(one.lane)
            if last and round(last.end_s, _DIGITS) == round(one.start_s, _DIGITS):
                shown.remove(last)
                one = replace(one, start_s=last.start_s)
            waited[one.lane] = replace(one, label="")
            shown.append(waited[one.lane])
        elif one.kind == "kernel":
            shown.append(replace(one, kind="compute"))
        elif one.lane == "rank 0" and one.kind in ("send", "collective"):
            label = one.label if one.kind == "collective" else ""
            shown.append(replace(one, lane="rank 0 sends", kind="send", label=label))
    spans = run.results[0].memory.spans(run.time_s)
    shown += [Interval("its buffers", "buffer", since_s, to_s) for since_s, to_s in spans]
    return Timeline.of([_rounded(one) for one in shown if one.duration_s > 0])


def _rounded(one: Interval) -> Interval:
    return replace(one, start_s=round(one.start_s, _DIGITS), end_s=round(one.end_s, _DIGITS))


PICTURE = draw_ring
