"""any-shape: its picture, how a block of the learner's kernel walks along K."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.tiling.pictures import TILE, draw_hazard_or, launch_product
from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.tile_walk import TileWalk, describe_walk, plot_tile_walk
from gpuedu.trace import Operation, Space, Trace

RAGGED = (50, 40, 70)
"""M, N, K: none of them is whole tiles."""


def draw_any_shape(matmul: Any) -> Any:
    """What the last block reads in which turn, where no side is whole tiles; or a hazard."""
    return draw_hazard_or(draw_corner, launch_product(matmul, *RAGGED))


def draw_corner(trace: Trace) -> Any:
    """The walk of the last block, whose tiles stick out at every edge."""
    block = tuple(extent - 1 for extent in trace.launch.grid[:2])
    walk = walk_of(trace, block)
    zeros = sum(walk.missing(array, turn) for turn in range(walk.turns) for array in "ab")
    return plot_tile_walk(
        walk,
        caption=Caption(
            title=f"{trace.launch.kernel}: what block {block} reads, turn by turn",
            alt=f"b is above c, and a to its left. {describe_walk(walk)}",
            source="A number is the turn, counted by the barriers between reads. A frame is a tile "
            f"of 32 x 32; hatched are\nits places outside of the matrix: {zeros:,} in all turns. "
            "Counted on the machine, not timed.",
        ),
    )


def walk_of(trace: Trace, block: tuple[int, int]) -> TileWalk:
    """What a watched block of a launch of ``(a, b, c)`` reads, by the barriers before.

    Raises:
        AnswerError: The block reads neither matrix.
    """
    a, b = trace.launch.arguments[:2]
    grid = trace.launch.grid
    linear = block[1] * grid[0] + block[0]
    reads = [_reads(trace, argument.name, linear) for argument in (a, b)]
    epochs = np.unique(np.concatenate([epoch for _, epoch in reads]))
    if not len(epochs):
        raise AnswerError(f"`{trace.launch.kernel}` does not read `a` or `b` yet")
    turns = []
    for argument, (element, epoch) in zip((a, b), reads, strict=True):
        first = np.full(int(np.prod(argument.shape)), -1)
        # Assigned in reverse, so that the first turn of an element is what remains.
        first[element[::-1]] = np.searchsorted(epochs, epoch)[::-1]
        turns.append(first.reshape(argument.shape))
    names = tuple(argument.name for argument in trace.launch.arguments[:3])
    return TileWalk(turns[0], turns[1], block, TILE, names)


def _reads(trace: Trace, name: str, block: int) -> tuple[np.ndarray, np.ndarray]:
    """Elements that a block loads of an array, and how many barriers it had passed."""
    loads = [
        number
        for number, site in enumerate(trace.sites)
        if site.array == name and site.space is Space.GLOBAL and site.operation is Operation.LOAD
    ]
    events = trace.events
    rows = np.flatnonzero(np.isin(events.site, loads) & (events.block == block))
    element = events.element[rows]
    active = element >= 0
    epoch = np.broadcast_to(events.epoch[rows].astype(np.int64)[:, None], element.shape)
    return element[active].astype(np.int64), epoch[active]


PICTURE = draw_any_shape
