"""How a block walks along K: as it should be, and as the learner's kernel does it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.tile_walk import TileWalk, describe_walk, plot_tile_walk
from gpuedu.trace import Operation, Space, Trace

TILE = 32
SKETCHED, SKETCHED_BLOCK = (96, 96, 128), (1, 2)
"""M, N, K and the block of the sketch."""


def draw_sketch() -> Any:
    """The tiles that one block needs, numbered by turn; M, N and K are whole tiles."""
    m, n, k = SKETCHED
    x, y = SKETCHED_BLOCK
    a, b = np.full((m, k), -1), np.full((k, n), -1)
    for turn in range(k // TILE):
        along = slice(TILE * turn, TILE * (turn + 1))
        a[TILE * y : TILE * (y + 1), along] = turn
        b[along, TILE * x : TILE * (x + 1)] = turn
    walk = TileWalk(a, b, SKETCHED_BLOCK)
    return plot_tile_walk(
        walk,
        caption=Caption(
            title=f"What block {SKETCHED_BLOCK} needs, turn by turn",
            alt=f"b lies above c, a at its left. {describe_walk(walk)}",
            source="A sketch. A number is the turn: in turn 0 the block brings the two tiles with "
            "a 0, and adds the products that they have.",
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


def draw_corner(trace: Trace) -> Any:
    """The walk of the last block, whose tiles stick out at every edge."""
    block = tuple(extent - 1 for extent in trace.launch.grid[:2])
    walk = walk_of(trace, block)
    zeros = sum(walk.missing(array, turn) for turn in range(walk.turns) for array in "ab")
    return plot_tile_walk(
        walk,
        caption=Caption(
            title=f"{trace.launch.kernel}: what block {block} reads, turn by turn",
            alt=f"b lies above c, a at its left. {describe_walk(walk)}",
            source="A number is the turn, counted by the barriers between reads. A frame is a tile "
            f"of 32 x 32; hatched are\nits places outside of the matrix: {zeros:,} in all turns. "
            "Counted on the machine, not timed.",
        ),
    )
