"""column-row: which rank has which part of both matrices, and what a forward pass sends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from gpuedu.exercises.ranks import run_ranks
from gpuedu.exercises.tensor_parallel.column_row.training import pieces_of
from gpuedu.exercises.tensor_parallel.mlp import Mlp
from gpuedu.exercises.tensor_parallel.mlp_alone import train_whole
from gpuedu.exercises.training.tensors import as_array
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.cut_matrices import Cut, plot_cuts
from gpuedu.figures.plain_bars import PlainBar
from gpuedu.multi.exchanges import wire_bytes
from gpuedu.units import format_size

_MLP = Mlp(tokens=8, width=4, hidden=16, ranks=4, steps=1)
_ROUNDING = 1e-9
_LIMIT_BYTES = 1200.0
"""The same axis for a draft and for what is right."""


def draw_split(split: Callable[..., Any], forward: Callable[..., Any]) -> Any:
    """The pieces of four ranks, what each sends in a forward pass, and whether its output is right.

    Args:
        split: ``split(w1, w2)``.
        forward: ``mlp_forward(x, a, b, bias)``.
    """

    def body(rank: int) -> tuple[torch.Tensor, torch.Tensor, np.ndarray]:
        *whole, bias = _MLP.weights()
        a, b = pieces_of(split(*whole))
        x, _ = _MLP.batch(0)
        y = as_array(forward(x.clone(), a.clone(), b.clone(), bias), x.shape, "the output")
        return a, b, y

    run = run_ranks(body, _MLP.ranks, [split, forward])
    w1, w2, _ = _MLP.weights()
    cuts = [
        cut_of(f"{name} ({whole.shape[0]} x {whole.shape[1]})", whole, pieces)
        for name, whole, pieces in (
            ("w1", w1, [one[0] for one in run.results]),
            ("w2", w2, [one[1] for one in run.results]),
        )
    ]
    bars = []
    for rank, (_, _, y) in enumerate(run.results):
        sent = wire_bytes([one for one in run.exchanges if one.rank == rank])
        off = float(np.abs(y - train_whole(_MLP)[0][0]).max())
        is_right = off < _ROUNDING
        said = "its y is right" if is_right else f"its y is off by {off:.2g}"
        color = style.GREEN if is_right else style.RED
        bars.append(PlainBar(f"rank {rank}", sent, f"{format_size(sent)}, {said}", color))
    is_whole = all(all(cut.owners) for cut in cuts)
    crossed = (
        "Dashed: an all-reduce of y." if is_whole else "A part with crosses belongs to no rank."
    )
    told = "; ".join(f"{bar.name} sends {bar.text}" for bar in bars)
    caption = Caption(
        title="Who has what, and what a forward pass sends",
        x="bytes that a rank sends",
        source="Counted on 4 light ranks, for 8 tokens in float64. Numbers: the rank that has that "
        f"part.\n{crossed}",
        alt=f"Two matrices cut by rank: {'; '.join(map(_tell, cuts))}. {told}.",
    )
    one = _MLP.all_reduce_bytes / _MLP.ranks
    return plot_cuts(cuts, bars, ("an all-reduce of y", one), limit=_LIMIT_BYTES, caption=caption)


def cut_of(name: str, whole: torch.Tensor, pieces: Sequence[torch.Tensor]) -> Cut:
    """Which ranks have each column of a matrix; each row, where a piece has all columns."""
    rows, columns = whole.shape
    by_rows = pieces[0].shape[0] != rows
    lines = whole if by_rows else whole.T
    own = [
        {tuple(line) for line in (one if by_rows else one.T).tolist()}
        if one.shape[by_rows] == whole.shape[by_rows]
        else set()
        for one in pieces
    ]
    owners = [
        tuple(rank for rank, mine in enumerate(own) if tuple(line) in mine)
        for line in lines.tolist()
    ]
    return Cut(name, rows, columns, by_rows, tuple(owners))


def _tell(cut: Cut) -> str:
    whose = (", ".join(map(str, one)) or "nobody" for one in cut.owners)
    return f"{cut.name} by {'rows' if cut.by_rows else 'columns'}, of ranks {' | '.join(whose)}"


PICTURE = draw_split
