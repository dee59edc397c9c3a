"""tensor-cores: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.mixed_precision.tensor_cores.pictures_tensor import ones
from gpuedu.exercises.mixed_precision.tensor_cores.tensor_products import SIDE, run_product
from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.tile_walk import TileWalk, describe_walk, plot_tile_walk
from gpuedu.trace import Operation, Space, Trace

_SHAPE, _BLOCK = (48, 64, 80), (2, 1)


_HALF = np.dtype(np.float16)


def draw_walk(matmul: Any, *others: Any) -> Any:
    """The elements of ``a`` and ``b`` that one warp loads, by step."""
    m, n, k = _SHAPE
    linear = _BLOCK[1] * (n // SIDE) + _BLOCK[0]
    trace = run_product(matmul, ones(m, n, k), watch=(linear,))
    walk = TileWalk(
        _turns(trace, "a", (m, k), linear),
        _turns(trace, "b", (k, n), linear),
        _BLOCK,
        SIDE,
        tuple(argument.name for argument in trace.launch.arguments[:3]),  # type: ignore[arg-type]
    )
    return plot_tile_walk(
        walk,
        caption=Caption(
            f"{trace.launch.kernel}: what the warp of block {_BLOCK} loads, step by step",
            f"b is above c, and a is to its left. {describe_walk(walk).replace('Turn', 'Step')}",
            "A number is the step, counted by `load_matrix_sync` of that matrix. A frame is a tile "
            "of 16 x 16 as it should be.\nCounted in a run on the simulated GPU, not timed.",
        ),
    )


def _turns(trace: Trace, name: str, shape: tuple[int, int], block: int) -> np.ndarray:
    """The step in which each element is loaded first, -1 where it never is.

    A site of matrices counts words; each request of it has elements of its own, and those of one
    ``load_matrix_sync`` are as many as a tile needs.
    """
    wanted = trace.launch.arguments["ab".index(name)].name  # the learner may call it otherwise
    turns = np.full(shape[0] * shape[1], -1)
    for number, site in enumerate(trace.sites):
        is_load = site.operation is Operation.LOAD and site.space is Space.GLOBAL
        if site.array != wanted or not is_load:
            continue
        rows = np.flatnonzero((trace.events.site == number) & (trace.events.block == block))
        wide = site.itemsize // _HALF.itemsize
        each = max(SIDE * SIDE // (32 * wide), 1)
        for turn, row in reversed(list(enumerate(rows))):
            words = trace.events.element[row]
            at = (words[words >= 0][:, None] * wide + np.arange(wide)).reshape(-1)
            at = at[at < turns.size]
            turns[at] = np.where(turns[at] < 0, turn // each, np.minimum(turns[at], turn // each))
    if (turns < 0).all():
        raise AnswerError(f"`{trace.launch.kernel}` does not load `{wanted}` yet")
    return turns.reshape(shape)


PICTURE = draw_walk
