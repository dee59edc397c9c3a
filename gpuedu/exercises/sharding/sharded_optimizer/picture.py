"""sharded-optimizer: what each rank keeps, and how far it is from one process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.ddp.replica_models import build
from gpuedu.exercises.ddp.replicas import Task
from gpuedu.exercises.sharding.replicas_alone import train_whole
from gpuedu.exercises.sharding.sharded_runs import train_sharded
from gpuedu.exercises.sharding.updates import Rule
from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.multi.exchanges import wire_bytes
from gpuedu.units import KIB, format_size

_TASK = Task("plain", ((4,) * 4,) * 2)
_RULE = Rule("adam", 0.05, 0.9)
_ROUNDING = 1e-6
_SIZE = 8
"""Bytes of a number: float64."""


def draw_kept(step: Callable[..., Any]) -> Any:
    """Bars of four ranks: weights, gradients and the two numbers of Adam for each weight."""
    run = train_sharded(step, _TASK, _RULE)
    wanted = train_whole(_TASK, _RULE)[-1]
    count = sum(one.numel() for one in build(_TASK.kind, _TASK.seed).parameters())
    bars = []
    for rank, (states, updates) in enumerate(run.results):
        off = max(np.abs(one - true).max() for one, true in zip(states[-1], wanted, strict=True))
        said = "weights right" if off < _ROUNDING else f"weights off by {off:.2g}"
        kept = {"weights": count, "gradients": count, "optimizer": 2 * updates.numbers}
        parts = {name: _SIZE * number / KIB for name, number in kept.items()}
        bars.append(Parts(f"rank {rank}", parts, said))
    sent = format_size(wire_bytes(run.exchanges) / len(_TASK.sizes))
    told = "; ".join(f"{bar.name} {bar.total:.3g} KiB, {bar.text}" for bar in bars)
    caption = Caption(
        title=f"What four ranks keep; a step sends {sent} in all",
        x="KiB",
        source=f"Counted on light ranks: a model of {count} weights in float64, with Adam.\n"
        "Next to each bar: whether that rank's weights are right after two steps.",
        alt=f"Stacked bars of weights, gradients and the optimizer's numbers: {told}.",
    )
    copy = 4 * _SIZE * count / KIB  # so the axis is the same whatever a step keeps
    return plot_parts(bars, [("a whole copy", copy)], caption=caption)


PICTURE = draw_kept
