"""What the wrong ways to transpose in tiles leave: right on one tile or on none."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.memory.tiles import TILE, swap_in_tiles, tiles_in_place


def test_a_tile_on_the_diagonal_is_right_when_it_is_turned_in_place():
    m = np.random.default_rng(2).normal(0, 1, (2 * TILE, 3 * TILE))
    got = swap_in_tiles(m, np.full((3 * TILE, 2 * TILE), np.nan))
    assert np.array_equal(got[:TILE, :TILE], m[:TILE, :TILE].T)
    assert np.array_equal(got[:TILE, TILE:], m[:TILE, TILE : 2 * TILE].T)
    assert np.isnan(got[2 * TILE :]).all()


def test_tiles_in_place_move_whole():
    m = np.random.default_rng(2).normal(0, 1, (2 * TILE, 3 * TILE))
    got = tiles_in_place(m, np.full((3 * TILE, 2 * TILE), np.nan))
    assert np.array_equal(got[2 * TILE :, TILE:], m[TILE:, 2 * TILE :])
    assert not np.isnan(got).any()
