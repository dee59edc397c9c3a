"""fsdp: what a rank computes, sends and has in memory during a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from gpuedu.clock import Interval, Timeline
from gpuedu.exercises.ranks import Ranked
from gpuedu.exercises.sharding.fsdp.fsdp_runs import SIZE, FsdpTask, train_sharded_layers
from gpuedu.exercises.sharding.fsdp.layers_alone import train_whole_layers, whole_from
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lane_groups
from gpuedu.units import MS, format_size

_LAYERS, _WIDTH = 6, 15
_TASK = FsdpTask((_WIDTH,) * (_LAYERS + 1), (1 * MS,) * _LAYERS, 4, 0.1 * MS, 2.4e6, steps=1)
Allocate = Callable[[int], Any]

_ROUNDING = 1e-9
_DIGITS = 12
"""Times are rounded to so many, so that ends and begins that meet do not overlap."""


def draw_fsdp(forward_pass: Callable[..., Any], backward_pass: Callable[..., Any]) -> Any:
    """A step in which all is gathered at once, and the learner's below it."""
    runs = {"everything at once": train_sharded_layers(whole_passes(), _TASK)}
    mine = train_sharded_layers((forward_pass, backward_pass), _TASK)
    runs["your step"] = mine
    groups = [(f"{way}: {_told(run)}", _lanes_of(run)) for way, run in runs.items()]
    wanted = train_whole_layers(_TASK)[-1]
    got = whole_from([one.weights[-1] for one in mine.results], _TASK)
    off = float(np.abs(got - wanted).max())
    said = "weights right" if off < _ROUNDING else f"weights off by {off:.2g}"
    caption = Caption(
        title=f"Your step: {_told(mine)}; {said}",
        x="simulated time of rank 0",
        source=f"Simulated: 4 ranks; {_LAYERS} layers, 1 ms forward, 2 ms backward; a made-up "
        "network. Memory: each\nbar is a buffer from `allocate`, of one layer's weights or "
        "gradient.",
        alt="Timelines of what rank 0 computes, what its network carries and which buffers it has "
        f"in a step. {'; '.join(head for head, _ in groups)}.",
    )
    end_s = max(run.time_s for run in runs.values())
    lanes = ("rank 0", "network", "memory")
    return plot_lane_groups(groups, caption=caption, lanes=lanes, end_s=end_s)


def whole_passes() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Passes with whole weights during the whole step, as in stage 2."""
    import torch.distributed as dist

    whole: dict[int, list[Any]] = {}

    def forward_pass(
        pieces: Sequence[Any], allocate: Allocate, free: Callable[..., Any], forward: Any
    ) -> Any:
        ranks = dist.get_world_size()
        mine = whole[dist.get_rank()] = [allocate(ranks * len(piece)) for piece in pieces]
        for buffer, piece in zip(mine, pieces, strict=True):
            dist.all_gather_into_tensor(buffer, piece)
        for layer, buffer in enumerate(mine):
            forward(layer, buffer)
        return mine[-1]

    def backward_pass(
        pieces: Sequence[Any], weights: Any, allocate: Allocate, free: Any, backward: Any
    ) -> list[Any]:
        mine, gradients = whole[dist.get_rank()], [torch.empty_like(one) for one in pieces]
        for layer in reversed(range(len(pieces))):
            gradient = allocate(len(mine[layer]))
            backward(layer, mine[layer], gradient)
            dist.reduce_scatter_tensor(gradients[layer], gradient, op=dist.ReduceOp.AVG)
            free(gradient)
        for buffer in mine:
            free(buffer)
        return gradients

    return forward_pass, backward_pass


def _told(run: Ranked) -> str:
    peak = format_size(SIZE * run.results[0].memory.peak)
    return f"{run.time_s / MS:.4g} ms, buffers of {peak} at most"


def _lanes_of(run: Ranked) -> Timeline:
    """Rank 0's time: what it computes and waits for, its collectives, its buffers."""
    shown = []
    for one in run.timeline.on("rank 0"):
        if one.kind == "collective":
            shown.append(replace(one, lane="network", label=""))
        elif one.kind == "wait":
            shown.append(replace(one, label=""))
        else:
            shown.append(replace(one, label=one.label.split(" ")[-1]))
    spans = run.results[0].memory.spans(run.time_s)
    shown += [Interval("memory", "buffer", since_s, to_s) for since_s, to_s in spans]
    return Timeline.of([_rounded(one) for one in shown if one.duration_s > 0])


def _rounded(one: Interval) -> Interval:
    return replace(one, start_s=round(one.start_s, _DIGITS), end_s=round(one.end_s, _DIGITS))


PICTURE = draw_fsdp
