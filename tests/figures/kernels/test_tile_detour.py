"""The sketch of a transpose by way of shared memory: readable, and right."""

from __future__ import annotations

from collections import defaultdict

from gpuedu.figures.kernels.tile_detour import plot_tile_detour
from gpuedu.figures.style import alt_text
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside


def test_the_tile_is_turned_on_its_way():
    places = defaultdict(list)
    for text in plot_tile_detour().texts:
        if text.get_text().isdecimal():
            places[int(text.get_text())].append(text.get_position())
    assert sorted(places) == list(range(16))
    (first_m, first_tile, first_out) = places[0]
    for number, (m, tile, out) in places.items():
        row, column = divmod(number, 4)
        assert (m[0] - first_m[0], m[1] - first_m[1]) == (column, row)
        assert (tile[0] - first_tile[0], tile[1] - first_tile[1]) == (column, row)
        assert (out[0] - first_out[0], out[1] - first_out[1]) == (row, column)


def test_it_is_readable_and_described():
    ax = plot_tile_detour()
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8
    assert "lower left tile" in alt_text(ax)
