"""sharded-gradients: the gradients that a rank has, layer by layer of a backward pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.sharding.chains import ChainTask
from gpuedu.exercises.sharding.sharded_gradients.chain_alone import train_whole_chain
from gpuedu.exercises.sharding.sharded_gradients.gradient_runs import train_in_pieces
from gpuedu.exercises.sharding.updates import Rule
from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.units import KIB, format_size

_TASK = ChainTask((16,) * 9, 4, steps=1)
_RULE = Rule("momentum", 0.05, 0.9)
_ROUNDING = 1e-6
_SIZE = 8
"""Bytes of a number: float64."""


def draw_backward(reduce_layer: Callable[..., Any]) -> Any:
    """A bar for each layer of a backward pass: what rank 0 has when that layer is done."""
    run = train_in_pieces(reduce_layer, _TASK, _RULE)
    wanted = train_whole_chain(_TASK, _RULE)[-1]
    off = max(
        np.abs(one - true).max()
        for states, _ in run.results
        for one, true in zip(states[-1], wanted, strict=True)
    )
    moments = run.results[0][1]
    bars = []
    for moment in moments:
        parts = {
            "pieces": moment.pieces,
            "this layer": moment.new,
            "layers already done": moment.old,
        }
        sized = {name: _SIZE * count / KIB for name, count in parts.items()}
        bars.append(Parts(f"layer {moment.layer}", sized))
    whole = _SIZE * sum(one.new for one in moments) / KIB
    peak = format_size(_SIZE * max(one.total for one in moments))
    said = "weights right" if off < _ROUNDING else f"weights off by {off:.2g}"
    told = "; ".join(f"{bar.name} {bar.total:.3g}" for bar in bars)
    caption = Caption(
        title=f"Gradients on rank 0: at most {peak}; {said}",
        x="KiB, when the backward pass of the layer is done",
        source="Counted on 4 light ranks: 8 layers, float64, one micro-batch. Line: all gradients.",
        alt=f"Stacked bars of the KiB of gradients, from the last layer to the first: {told}. "
        f"All gradients have {whole:.3g} KiB. After the step: {said}.",
    )
    axis = 1.4 * whole  # so it is the same whatever is freed
    ax = plot_parts(bars, [("all gradients", whole)], caption=caption, row_in=0.34)
    ax.set_xlim(0, axis)
    return ax


PICTURE = draw_backward
