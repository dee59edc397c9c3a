"""Strips of time."""

from __future__ import annotations

from gpuedu.figures.caption import Caption
from gpuedu.figures.strips import Look, Strip, plot_strips
from tests.figures.legibility import assert_fit_to_print

_LOOKS = {"on": Look("#0072b2"), "off": Look("#e69f00", "//")}


def test_strips_are_cut_at_the_end() -> None:
    strips = [
        Strip("a", (("on", 0.0, 3.0), ("off", 3.0, 20.0)), "says"),
        Strip("b", (("on", 11.0, 12.0),)),
    ]
    caption = Caption(
        "title",
        "Two strips over ten seconds, of which one is cut off. " * 2,
        "source",
        x="time (s)",
    )
    ax = plot_strips(strips, _LOOKS, caption=caption, end=10.0)
    widths = [bar.get_width() for group in ax.containers for bar in group]
    assert widths == [3.0, 7.0]
    assert ax.get_xlim() == (0, 10)
    assert [one.get_text() for one in ax.get_yticklabels()] == ["a", "b"]
    assert_fit_to_print(ax)
