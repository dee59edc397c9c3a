"""hybrid-shard: what each rank of two nodes sends in a step, inside its node and across."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.exercises.sharding.fsdp.fsdp_runs import SIZE, FsdpTask
from gpuedu.exercises.sharding.fsdp.layers_alone import train_whole_layers
from gpuedu.exercises.sharding.hybrid_shard.hybrid_runs import (
    HybridTask,
    inside_bytes,
    sent_by_rank,
    train_hybrid,
)
from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.units import KIB, MS, format_size

_LAYERS, _WIDTH = 3, 15
_LAYERS_TASK = FsdpTask((_WIDTH,) * (_LAYERS + 1), (0.1 * MS,) * _LAYERS, 8, 1e-6, 90e6, steps=1)
_TASK = HybridTask(_LAYERS_TASK, 4)
_ROUNDING = 1e-9
_LIMIT_KIB = 40.0
"""The same axis for a draft and for what is right."""


def draw_sent(*answers: Callable[..., Any]) -> Any:
    """Bars of eight ranks in two nodes, beside each whether its weights are right.

    Args:
        answers: ``make_groups``, ``gather_weights`` and ``reduce_gradient``.
    """
    run = train_hybrid(answers, _TASK)
    wanted = np.split(train_whole_layers(_LAYERS_TASK)[-1], np.cumsum(_LAYERS_TASK.counts)[:-1])
    bars = []
    for rank, (sent, pieces) in enumerate(zip(sent_by_rank(run, _TASK), run.results, strict=True)):
        off = _off(rank, pieces[-1], wanted)
        node = rank // _TASK.per_node
        is_right = off < _ROUNDING
        said = "its weights right" if is_right else f"its weights off by {off:.1g}"
        parts = {"inside the node": sent.inside / KIB, "to another node": sent.across / KIB}
        bars.append(Parts(f"node {node}, rank {rank}", parts, said, is_right))
    busiest = max(bar.parts["to another node"] for bar in bars) * KIB
    took = f"A step takes {run.time_s / MS:.2f} ms"
    fully_sharded = inside_bytes(replace(_TASK, per_node=_LAYERS_TASK.ranks))
    told = "; ".join(
        f"{bar.name} {bar.parts['inside the node']:.3g} and {bar.parts['to another node']:.3g}, "
        f"{bar.text}"
        for bar in bars
    )
    caption = Caption(
        title=f"{took}; the busiest card sends {format_size(busiest)}",
        x="KiB that a rank sends in a step",
        source=f"Counted on 8 light ranks with {format_size(SIZE * sum(_LAYERS_TASK.counts))} of "
        "weights; times are of a made-up network. Each rank has its\nown card to the other node. "
        f"With full sharding, the busiest card would send {format_size(fully_sharded)}.",
        alt=f"Stacked bars of KiB inside the node and to another node: {told}.",
    )
    ax = plot_parts(bars, caption=caption, row_in=0.34)
    ax.set_xlim(0, _LIMIT_KIB)
    return ax


def _off(rank: int, pieces: np.ndarray, wanted: list[np.ndarray]) -> float:
    """How far a rank's pieces are from those of one process."""
    sizes, place = _TASK.in_node.pieces, rank % _TASK.per_node
    found = 0.0
    for mine, each, true in zip(
        np.split(pieces, np.cumsum(sizes)[:-1]), sizes, wanted, strict=True
    ):
        part = true[place * each : (place + 1) * each]
        found = max(found, float(np.abs(mine[: len(part)] - part).max(initial=0.0)))
    return found


PICTURE = draw_sent
