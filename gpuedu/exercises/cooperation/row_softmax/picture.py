"""row-softmax: its picture, of what a block hands around for one row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.exercises.kernels.raw_kernel import require_cuda_c
from gpuedu.figures.kernels.lanes import plot_active_lanes
from gpuedu.figures.kernels.rounds import plot_rounds
from gpuedu.lens.requests import NothingWatchedError
from gpuedu.lens.rounds import Exchange, Round, exchange_of
from gpuedu.trace import WARP_SIZE

_COLUMNS, _ROUNDS = 48, 14


def draw_row_softmax(row_softmax: Any) -> Any:
    """Shared memory of a block of 32 threads, round by round, for a row of 48 columns.

    Without shared memory, the lanes that work on each line.
    """
    require_cuda_c(row_softmax, "row_softmax")
    x = np.random.default_rng(5).normal(0, 2, (1, _COLUMNS)).astype(np.float32)
    trace = run_kernel(row_softmax, 1, WARP_SIZE, x, np.zeros_like(x), np.int32(_COLUMNS))
    try:
        exchange = exchange_of(trace)
    except NothingWatchedError:
        return plot_active_lanes(trace)
    return plot_rounds(_without_own_rounds(exchange), kernel=trace.launch.kernel, most=_ROUNDS)


def _without_own_rounds(exchange: Exchange) -> Exchange:
    """Without the rounds in which every thread goes on with its own place, before a barrier."""
    kept: list[Round] = []
    for one in exchange.rounds:
        is_own = all(set(store.sources) <= {store.target} for store in one.stores)
        if not (kept and is_own and kept[-1].epoch == one.epoch):
            kept.append(one)
    return replace(exchange, rounds=tuple(kept))


PICTURE = draw_row_softmax
