"""experts: where each token goes, whether it comes back right, and what each rank sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.pipelines.experts.layer import Moe, run_layer
from gpuedu.exercises.pipelines.experts.routing import SIZE, needed_bytes, outputs, routed
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.cut_matrices import Cut, plot_cuts
from gpuedu.figures.plain_bars import PlainBar
from gpuedu.multi.exchanges import wire_bytes

_MOE = Moe((3, 3, 3, 3), each=2, width=4, hidden=6, capacity=1, seed=47)
_ROUNDING = 1e-9
_LIMIT_BYTES = 1_600.0
"""The same axis for a draft and for what is right."""


def draw_experts(route: Callable[..., Any], forward: Callable[..., Any]) -> Any:
    """Tokens by rank, the rank of each token's expert, and which outputs are right."""
    run = run_layer([route, forward], _MOE)
    true, needed = outputs(_MOE), needed_bytes(_MOE)
    bars, of_x, gone, of_y = [], [], [], []
    for rank, (_, y) in enumerate(run.results):
        way = routed(_MOE.inputs(rank)[1], _MOE.capacity)
        is_right = np.abs(y - true[rank]).max(1, initial=0) < _ROUNDING
        of_x += [(rank,)] * len(y)
        gone += [
            (int(one) // _MOE.each,) if kept else ()
            for one, kept in zip(way.expert, way.kept, strict=True)
        ]
        of_y += [(rank,) if one else () for one in is_right]
        sent = wire_bytes(one for one in run.exchanges if one.rank == rank)
        is_good = is_right.all() and sent <= needed[rank]
        said = f"{sent:,.0f} B, {is_right.sum()} of {len(y)} tokens right"
        color = style.GREEN if is_good else style.RED
        bars.append(PlainBar(f"rank {rank}", sent, said, color))
    count = len(of_x)
    cuts = [
        Cut("x", count, _MOE.width, True, tuple(of_x), is_merged=False),
        Cut("expert on", count, _MOE.width, True, tuple(gone), is_merged=False),
        Cut("y", count, _MOE.width, True, tuple(of_y), is_merged=False),
    ]
    dropped, right = sum(not one for one in gone), sum(map(bool, of_y))
    told = "; ".join(f"{bar.name} sends {bar.text}" for bar in bars)
    caption = Caption(
        title="All tokens come back right"
        if right == count
        else f"Right: {right} of {count} tokens",
        x="bytes that a rank sends",
        source=f"Counted on 4 light ranks with 2 experts each, {count} tokens (rows) of "
        f"{SIZE * _MOE.width} bytes, capacity 1. Numbers: ranks.\nCrosses: dropped (in the "
        "middle), or wrong (y). Dashed: what a rank may send. Red bars: wrong, or more than that.",
        alt=f"{count} tokens on 4 ranks, {dropped} of them dropped; "
        f"{right} come back right. {told}.",
    )
    line = "may send", float(max(needed))
    return plot_cuts(cuts, bars, line, limit=_LIMIT_BYTES, caption=caption)


PICTURE = draw_experts
