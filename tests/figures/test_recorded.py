"""Recorded times as a picture: lengths from 0, an own device by more than color, texts in place."""

from __future__ import annotations

import pytest

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve
from gpuedu.figures.recorded import OWN, BarPanel, CurvePanel, RecordedBar, plot_recorded
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption("Recorded", "A described figure.", "Recorded on a device: today.\nAnd more.")


def bar(value=100.0, text="100 GB/s, 1 ms   Some GPU", **more):
    return RecordedBar(value, text, style.BLUE, **more)


def panel(*groups, title="Kernels", **more):
    return BarPanel(title, "GB/s", tuple(groups), **more)


def curves(*names):
    x = (1.0, 8.0, 64.0, 1024.0, 65536.0)
    drawn = (Curve(name, x, tuple(k + 1 + v**0.5 for v in x), OWN) for k, name in enumerate(names))
    return CurvePanel("Sizes", "size", "GB/s", tuple(drawn), "{:,g}".format)


def is_readable(ax):
    return not overlapping_texts(ax) and not texts_outside(ax) and smallest_text_pt(ax) >= 8.5


def lengths(ax):
    return [patch.get_width() for patch in ax.patches if patch.get_gid() == "recorded"]


def test_bars_begin_at_zero_and_are_as_long_as_their_values():
    ax = plot_recorded([panel(("slow", (bar(30.0),)), ("fast", (bar(120.0),)))], caption=CAPTION)
    assert lengths(ax) == [30.0, 120.0]
    assert ax.get_xlim()[0] == 0 and ax.get_xscale() == "linear"
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["slow", "fast"]
    assert is_readable(ax)


def test_the_first_group_is_at_the_top():
    ax = plot_recorded([panel(("first", (bar(),)), ("last", (bar(),)))], caption=CAPTION)
    low, high = ax.get_ylim()
    assert low > high
    assert [patch.get_y() for patch in ax.patches] == sorted(p.get_y() for p in ax.patches)


def test_an_own_bar_has_a_frame_and_a_star():
    ax = plot_recorded([panel(("one", (bar(is_own=True), bar())))], caption=CAPTION)
    own, other = ax.patches
    assert own.get_edgecolor() != other.get_edgecolor()
    (star,) = [line for line in ax.lines if line.get_marker() == "*"]
    assert star.get_xdata()[0] == 100.0


def test_a_spread_beyond_zero_ends_at_zero_and_none_has_no_line():
    ax = plot_recorded([panel(("one", (bar(spread=300.0), bar())))], caption=CAPTION)
    (line,) = ax.lines
    assert list(line.get_xdata()) == [0.0, 250.0]
    assert is_readable(ax)


@pytest.mark.parametrize("others", [(), (bar(),)])
def test_a_bar_that_is_missing_is_said_in_its_place(others):
    missing = bar(None, "left out: memory is not enough   Some GPU")
    ax = plot_recorded([panel(("one", (missing, *others)))], caption=CAPTION)
    assert len(lengths(ax)) == len(others)
    assert ax.texts[0].get_text() == missing.text
    assert is_readable(ax)


def test_panels_keep_the_order_and_the_whole_has_one_title_source_and_description():
    parts = [curves("a"), panel(("one", (bar(),))), curves("b", "c")]
    ax = plot_recorded(parts, caption=CAPTION)
    figure = ax.figure
    tops = [one.get_position().y1 for one in figure.axes]
    assert tops == sorted(tops, reverse=True)
    assert [one.get_title("left") for one in figure.axes] == ["Sizes", "Kernels", "Sizes"]
    assert figure.get_suptitle() == "Recorded" and figure.get_supxlabel() == CAPTION.source
    assert style.alt_text(ax) == CAPTION.alt
    assert is_readable(ax)


def test_names_at_the_ends_of_curves_take_no_width_from_bars():
    names = ("pinned, some GPU with a name (yours)", "pageable, some GPU with a name (yours)")
    ax = plot_recorded([panel(("one", (bar(),))), curves(*names)], caption=CAPTION)
    ax.figure.draw_without_rendering()
    upper, lower = ax.figure.axes
    assert upper.get_position().width > 1.2 * lower.get_position().width
    assert is_readable(ax)


def test_ticks_of_a_size_are_its_points():
    (ax,) = plot_recorded([curves("a")], caption=CAPTION).figure.axes
    shown = [tick.get_text() for tick in ax.get_xticklabels()]
    assert shown == ["1", "8", "64", "1,024", "65,536"]


def test_three_devices_of_long_names_can_be_read():
    devices = ("H100 80GB HBM3 MIG 1g.10gb (yours)", "H200 SXM", "Something 9000")
    rows = tuple(bar(10.0 * (k + 1), f"1,234 GB/s, 1.23 ms   {d}") for k, d in enumerate(devices))
    ax = plot_recorded([panel(("one", rows), ("two", rows))], caption=CAPTION)
    assert is_readable(ax)
