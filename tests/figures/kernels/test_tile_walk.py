"""A walk of tiles: what is told and drawn is what the block reads, and what lies outside."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.cells import warp_color
from gpuedu.figures.kernels.tile_walk import TileWalk, describe_walk, plot_tile_walk
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption(title="A walk", alt="told elsewhere", source="A sketch.")


def walk(m=40, n=70, k=50, block=(2, 1)) -> TileWalk:
    a, b = np.full((m, k), -1), np.full((k, n), -1)
    x, y = (32 * at for at in block)
    for turn in range(-(-k // 32)):
        a[y : y + 32, 32 * turn : 32 * turn + 32] = turn
        b[32 * turn : 32 * turn + 32, x : x + 32] = turn
    return TileWalk(a, b, block)


def test_places_outside_are_counted():
    ragged = walk()
    assert ragged.turns == 2 and ragged.size == (40, 70, 50)
    assert [ragged.missing("a", turn) for turn in (0, 1)] == [1024 - 8 * 32, 1024 - 8 * 18]
    assert [ragged.missing("b", turn) for turn in (0, 1)] == [1024 - 6 * 32, 1024 - 6 * 18]
    whole = walk(64, 64, 64, (1, 0))
    assert {whole.missing(name, turn) for name in "ab" for turn in (0, 1)} == {0}


def test_the_walk_in_words():
    told = describe_walk(walk())
    assert "Turn 1: rows 32 to 39 and columns 32 to 49 of a, 880 places" in told
    assert "rows 32 to 49 and columns 64 to 69 of b, 916 places" in told
    lazy = TileWalk(np.full((32, 32), -1), np.zeros((32, 32), int), (0, 0))
    assert describe_walk(lazy).startswith("Turn 0: nothing of a; rows 0 to 31")


def test_elements_have_the_color_of_their_turn_and_nothing_else_has():
    a, b, c = (image.get_array() for image in plot_tile_walk(walk(), caption=CAPTION).images)
    np.testing.assert_allclose(a[35, 40], to_rgb(warp_color(1)), atol=0.01)
    np.testing.assert_allclose(b[10, 66], to_rgb(warp_color(0)), atol=0.01)
    np.testing.assert_allclose(a[5, 5], c[0, 0], atol=0.01)


def test_what_sticks_out_is_hatched():
    def hatched(drawn):
        patches = plot_tile_walk(drawn, caption=CAPTION).patches
        return sum(p.get_width() * p.get_height() for p in patches if p.get_hatch())

    ragged = walk()
    assert hatched(ragged) == sum(ragged.missing(name, t) for name in "ab" for t in (0, 1))
    assert hatched(walk(64, 64, 64, (1, 0))) == 0


@pytest.mark.parametrize("size", [(40, 70, 50), (32, 32, 32), (96, 96, 160), (1, 1, 1)])
def test_it_is_readable(size):
    m, n, k = size
    ax = plot_tile_walk(walk(m, n, k, ((n - 1) // 32, (m - 1) // 32)), caption=CAPTION)
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8
