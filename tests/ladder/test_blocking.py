"""A blocking divides the work evenly, and hands each element to one thread."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gpuedu.ladder import rungs
from gpuedu.ladder.blocking import VECTOR

BLOCKINGS = {own.blocking for first in rungs() for own in first.variants if own.blocking}


@pytest.mark.parametrize("blocking", sorted(BLOCKINGS, key=lambda b: b.name), ids=lambda b: b.name)
def test_every_element_belongs_to_one_thread(blocking):
    owners = np.zeros(blocking.tile[:2], int)
    for thread in range(blocking.threads):
        warp, lane = divmod(thread, 32)
        down, across = divmod(warp, blocking.warps_across)
        lane_row, lane_column = divmod(lane, blocking.lane_columns)
        row = down * blocking.warp_rows + lane_row * VECTOR
        column = across * blocking.warp_columns + lane_column * VECTOR
        for i, j in itertools.product(range(blocking.thread_rows), range(blocking.thread_columns)):
            at_row = row + i // VECTOR * blocking.row_step + i % VECTOR
            owners[at_row, column + j // VECTOR * blocking.column_step + j % VECTOR] += 1
    assert (owners == 1).all()


@pytest.mark.parametrize("blocking", sorted(BLOCKINGS, key=lambda b: b.name), ids=lambda b: b.name)
def test_the_tiles_are_shared_out_evenly(blocking):
    rows, columns, depth = blocking.tile
    assert rows * depth % (4 * blocking.threads) == 0 or blocking.depth == 8
    assert rows * depth % blocking.threads == 0 and depth * columns % blocking.threads == 0
    assert blocking.threads <= 1024 and blocking.threads % 32 == 0


def test_names_tell_blockings_apart():
    assert len({blocking.name for blocking in BLOCKINGS}) == len(BLOCKINGS)
