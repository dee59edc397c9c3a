"""hybrid-shard: what each rank of two nodes sends in a step, inside its node and across."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.sharding.fsdp.fsdp_runs import SIZE, FsdpTask
from gpuedu.exercises.sharding.fsdp.layers_alone import train_whole_layers
from gpuedu.exercises.sharding.hybrid_shard.hybrid_runs import (
    HybridTask,
    sent_by_rank,
    train_hybrid,
)
from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.units import MS

_LAYERS, _WIDTH = 3, 15
_LAYERS_TASK = FsdpTask((_WIDTH,) * (_LAYERS + 1), (0.1 * MS,) * _LAYERS, 8, 1e-6, 90e6, steps=1)
_TASK = HybridTask(_LAYERS_TASK, 4)
_ROUNDING = 1e-9
_LIMIT_KB = 36.0
"""The same axis for a draft and for what is right."""


def draw_sent(*answers: Callable[..., Any]) -> Any:
    """Bars of eight ranks in two nodes, beside each whether its piece is right.

    Args:
        answers: ``make_groups``, ``gather_weights`` and ``reduce_gradient``.
    """
    run = train_hybrid(answers, _TASK)
    wanted = np.split(train_whole_layers(_LAYERS_TASK)[-1], np.cumsum(_LAYERS_TASK.counts)[:-1])
    bars = []
    for rank, (sent, pieces) in enumerate(zip(sent_by_rank(run, _TASK), run.results, strict=True)):
        off = _off(rank, pieces[-1], wanted)
        node = rank // _TASK.per_node
        said = "piece right" if off < _ROUNDING else f"piece off by {off:.2g}"
        parts = {"inside the node": sent.inside / 1e3, "to another node": sent.across / 1e3}
        bars.append(Parts(f"node {node}, rank {rank}", parts, said))
    busiest = max(bar.parts["to another node"] for bar in bars)
    told = "; ".join(
        f"{bar.name} {bar.parts['inside the node']:.3g} and {bar.parts['to another node']:.3g}, "
        f"{bar.text}"
        for bar in bars
    )
    caption = Caption(
        title=f"A step takes {run.time_s / MS:.2f} ms; the busiest card sends {busiest:.3g} kB",
        x="kB that a rank sends in a step",
        source=f"Counted and simulated on 8 light ranks: {_LAYERS} layers, "
        f"{SIZE * sum(_LAYERS_TASK.counts) / 1e3:.3g} kB of weights; a made-up network,\n"
        "slower between the nodes, to which each rank has a card.",
        alt=f"Stacked bars of kB inside the node and to another node: {told}.",
    )
    ax = plot_parts(bars, caption=caption, row_in=0.34)
    ax.set_xlim(0, _LIMIT_KB)
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
