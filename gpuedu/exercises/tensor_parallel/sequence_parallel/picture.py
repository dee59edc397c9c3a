"""sequence-parallel: tokens, columns and tokens again by rank, and what a forward pass sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from gpuedu.exercises.ranks import run_ranks
from gpuedu.exercises.tensor_parallel.sequence_parallel.block import Block, call_forward
from gpuedu.exercises.tensor_parallel.sequence_parallel.block_alone import train_whole
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.cut_matrices import Cut, plot_cuts
from gpuedu.figures.plain_bars import PlainBar
from gpuedu.multi.exchanges import wire_bytes
from gpuedu.units import format_size

_BLOCK = Block(tokens=8, width=4, hidden=12, ranks=4, drops=True, steps=1)
_ROUNDING = 1e-9
_LIMIT_BYTES = 700.0
"""The same axis for a draft and for what is right."""


def draw_tokens(forward: Callable[..., Any]) -> Any:
    """Which rank has which part of x, u and y, and what each sends in a forward pass.

    Args:
        forward: ``block_forward(x, pieces, mask)``.
    """
    x, mask, _ = _BLOCK.batch()

    def body(rank: int) -> tuple[np.ndarray, np.ndarray]:
        pieces = tuple(_BLOCK.pieces(rank))
        y, u = call_forward(forward, _BLOCK.mine(x, rank), pieces, mask)
        return y, u.numpy()

    run = run_ranks(body, _BLOCK.ranks, [forward])
    ranks, rows, columns = _BLOCK.ranks, _BLOCK.rows, _BLOCK.hidden // _BLOCK.ranks
    true = train_whole(_BLOCK).outputs[0]
    whole_u = hidden_of(x)
    bars, of_u, of_y = [], [], []
    for rank, (y, u) in enumerate(run.results):
        wanted = true[rank * rows : (rank + 1) * rows]
        of_y += _owners(y - wanted, rank)
        of_u += _owners((u - whole_u[:, rank * columns : (rank + 1) * columns]).T, rank)
        sent = wire_bytes([one for one in run.exchanges if one.rank == rank])
        off = float(np.abs(y - wanted).max())
        is_right = off < _ROUNDING
        said = "its y is right" if is_right else f"its y is off by {off:.2g}"
        color = style.GREEN if is_right else style.RED
        bars.append(PlainBar(f"rank {rank}", sent, f"{format_size(sent)}, {said}", color))
    owners_of_x = tuple((rank,) for rank in range(ranks) for _ in range(rows))
    tokens, width, hidden = _BLOCK.tokens, _BLOCK.width, _BLOCK.hidden
    cuts = [
        Cut("x", tokens, width, True, owners_of_x),
        Cut("u", tokens, hidden, False, tuple(of_u)),
        Cut("y", tokens, width, True, tuple(of_y)),
    ]
    is_right = all(of_u) and all(of_y)
    crossed = "Dashed: an all-reduce of y." if is_right else "A part with crosses is wrong."
    told = "; ".join(f"{bar.name} sends {bar.text}" for bar in bars)
    caption = Caption(
        title="By tokens, by columns, by tokens",
        x="bytes that a rank sends",
        source=f"Counted on 4 light ranks, for {tokens} tokens (rows) in float64. Numbers: the "
        f"rank that has that part.\n{crossed}",
        alt=f"x is cut into tokens; {_tell('u', of_u)} of columns and {_tell('y', of_y)} of "
        f"tokens are right. {told}.",
    )
    one = 2 * _BLOCK.part_bytes / ranks
    return plot_cuts(cuts, bars, ("an all-reduce", one), limit=_LIMIT_BYTES, caption=caption)


def hidden_of(x: torch.Tensor) -> np.ndarray:
    """All columns of u, for all tokens."""
    scale, w1, _ = _BLOCK.weights()
    return (x / x.square().mean(1, keepdim=True).sqrt() * scale @ w1).numpy()


def _owners(off: np.ndarray, rank: int) -> list[tuple[int, ...]]:
    """For each row, the rank where it is right."""
    return [(rank,) if np.abs(row).max() < _ROUNDING else () for row in off]


def _tell(name: str, owners: list[tuple[int, ...]]) -> str:
    return f"in {name}, {sum(map(bool, owners))} of {len(owners)}"


PICTURE = draw_tokens
