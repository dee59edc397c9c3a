"""online-softmax: its picture."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.custom_kernels.online_softmax.states import called, start
from gpuedu.figures.caption import Caption
from gpuedu.figures.running_shares import plot_running_shares

_BLOCKS, _SIZE = 8, 16
_LARGER = (0.0, 0.5, 0.2, 2.0, 1.0, 0.3, 3.0, 1.5)
"""By how much the scores of each block are larger."""


def draw_online_softmax(update: Callable[..., Any]) -> Any:
    """The share of each block in the sum, after one block more and more."""
    rng = np.random.default_rng(1)
    scores = [0.4 * rng.normal(size=_SIZE) + more for more in _LARGER]
    values = np.eye(_BLOCKS)
    state, shares = start(_BLOCKS), []
    for number, block in enumerate(scores):
        state = called("update", update, state, block, np.tile(values[number], (_SIZE, 1)))
        weighted = state[2][: number + 1]
        total = state[1] if state[1] > 0 and math.isfinite(state[1]) else math.nan
        shares.append([max(0.0, float(np.nan_to_num(one / total))) for one in weighted])
    last = ", ".join(f"{one:.0%}" for one in shares[-1])
    caption = Caption(
        title="Earlier blocks shrink when a larger score comes",
        x="blocks so far",
        y="share in the sum so far",
        source="Each piece is a block; the newest is dark. Right answers add up to 1, the dashed "
        "line.",
        alt=f"After each of {_BLOCKS} blocks, the shares of the blocks so far. At the end: {last}.",
    )
    return plot_running_shares(shares, caption=caption)


PICTURE = draw_online_softmax
