"""The roofline as a picture: roofs and marks where they belong, and texts that can be read."""

from __future__ import annotations

import dataclasses

import pytest

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.roofline import COMPUTED, MeasuredRate, plot_roofline, roofline_caption
from gpuedu.hardware.roofline import Roofs, roofs_of
from gpuedu.lens.roofline import RooflinePoint
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

ROUND = Roofs("round", flop_per_s=64e12, memory_bytes_per_s=4e12, l1_bytes_per_s=32e12)
SAXPY = RooflinePoint("saxpy", flop=2, l1_bytes=12, memory_bytes=12)
NAIVE = RooflinePoint("naive", flop=100, l1_bytes=250, memory_bytes=2)
FAST = RooflinePoint("fast", flop=100, l1_bytes=20, memory_bytes=2)
COPY = RooflinePoint("copy", flop=0, l1_bytes=64, memory_bytes=64)
SILENT = RooflinePoint("silent", flop=5, l1_bytes=0, memory_bytes=0)


def kernel(name, l1, memory):
    return RooflinePoint(name, 10**9, int(10**9 / l1), int(10**9 / memory))


LADDER = [
    RooflinePoint("saxpy", 2, 12, 12),
    kernel("by columns", 0.06, 42.7),
    kernel("naive", 0.4, 42.7),
    kernel("shared tiles", 0.235, 42.7),
    kernel("register tile 4x4", 0.97, 42.7),
    kernel("wide register tile 8x8", 1.9, 42.7),
    kernel("vector loads", 3.2, 42.7),
    kernel("double buffer", 3.6, 42.7),
    kernel("warp tile", 4.1, 42.7),
]


def marks(ax, marker):
    """(x, y, color inside) of the marks of this shape."""
    return [
        (line.get_xdata()[0], line.get_ydata()[0], line.get_markerfacecolor())
        for line in ax.lines
        if line.get_marker() == marker
    ]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def is_readable(ax):
    return not overlapping_texts(ax) and not texts_outside(ax) and smallest_text_pt(ax) >= 8.5


def test_each_kernel_has_its_two_intensities_at_what_it_can_attain():
    ax = plot_roofline([SAXPY, NAIVE], ROUND)
    circles, squares = marks(ax, "o"), marks(ax, "s")
    assert [(x, y) for x, y, _ in circles] == [pytest.approx((1 / 6, 4 / 6)), (0.4, 12.8)]
    assert [(x, y) for x, y, _ in squares] == [pytest.approx((1 / 6, 4 / 6)), (50, 12.8)]


def test_the_mark_under_the_roof_that_limits_is_filled():
    ax = plot_roofline([SAXPY, NAIVE, FAST], ROUND)
    assert [c != style.GROUND for _, _, c in marks(ax, "o")] == [False, True, False]
    assert [c != style.GROUND for _, _, c in marks(ax, "s")] == [True, False, False]


def test_limit_and_share_are_told_in_words():
    found = texts(plot_roofline([SAXPY, NAIVE, FAST], ROUND))
    assert "1  saxpy\ndevice memory, at most 1%" in found
    assert "2  naive\nL1, at most 20%" in found
    assert "3  fast\narithmetic, at most 100%" in found


def test_the_roofs_are_drawn_from_edge_to_ridge_and_named():
    ax = plot_roofline([NAIVE], ROUND)
    ends = [(line.get_xdata()[-1], line.get_ydata()[-1]) for line in ax.lines[:2]]
    assert ends == [(2.0, 64.0), (16.0, 64.0)]
    for line in ax.lines[:2]:
        x, y = line.get_xdata(), line.get_ydata()
        assert y[0] / x[0] == pytest.approx(y[-1] / x[-1])
        assert x[0] >= ax.get_xlim()[0] and y[0] >= ax.get_ylim()[0] * (1 - 1e-9)
    assert list(ax.lines[2].get_ydata()) == [64.0, 64.0]
    assert {"L1:\n32 TB/s", "device memory: 4 TB/s", "fp32 peak: 64 TFLOP/s"} <= set(texts(ax))


@pytest.mark.parametrize(
    ("key", "count"),
    [("t4", 9), ("a100-40gb", 8), ("rtx-4090", 1), ("l40s", 9), ("h200-sxm", 3), ("h200-sxm", 9)],
)
def test_up_to_nine_kernels_can_be_read(key, count):
    ax = plot_roofline(LADDER[-count:], roofs_of(key))
    assert is_readable(ax)
    assert len(texts(ax)) >= 3 + count


def test_nine_kernels_at_one_place_share_their_number():
    crowd = [kernel(f"a kernel of some length {i}", 0.5 + 0.01 * i, 30 + i) for i in range(9)]
    ax = plot_roofline(crowd, ROUND)
    assert is_readable(ax)
    assert "1-9" in texts(ax)


def test_each_number_stands_near_its_circle_and_once():
    ax = plot_roofline(LADDER, roofs_of("h200-sxm"))
    assert [text for text in ("1", "2", "3", "4", "5", "6", "7-9") if text in texts(ax)] == [
        *"123456",
        "7-9",
    ]


def test_measured_rates_have_their_own_mark_and_device():
    rates = [
        MeasuredRate("naive", 6.4e12, "NVIDIA H200"),
        MeasuredRate("fast", 32e12, "Tesla T4", is_own=True),
        MeasuredRate("nobody", 1e6, "NVIDIA H200"),
    ]
    ax = plot_roofline([SAXPY, NAIVE, FAST], ROUND, measured=rates)
    assert [(x, y) for x, y, _ in marks(ax, "X")] == [(0.4, 6.4)]
    assert [y for _, y, _ in marks(ax, "*")] == [32.0]
    assert "2  naive\nL1, at most 20%; measured 10%" in texts(ax)
    assert "3  fast\narithmetic, at most 100%; yours 50%" in texts(ax)
    source = ax.figure.get_supxlabel()
    assert "Cross: measured on NVIDIA H200." in source
    assert "Star: measured on Tesla T4 (yours)." in source
    assert "measured on Tesla T4 (yours): 32 TFLOP/s" in style.alt_text(ax)
    assert is_readable(ax)
    assert ax.get_ylim()[0] > 0.01  # a rate without a kernel does not stretch the axes


def test_without_a_measurement_none_is_spoken_of():
    ax = plot_roofline([NAIVE], ROUND)
    assert marks(ax, "X") == marks(ax, "*") == []
    assert COMPUTED in ax.figure.get_supxlabel()
    assert "measured on" not in ax.figure.get_supxlabel()


def test_what_has_no_place_on_the_axes_is_named_below():
    ax = plot_roofline([COPY, NAIVE, SILENT], ROUND)
    assert len(marks(ax, "o")) == 1
    assert "2  naive\nL1, at most 20%" in texts(ax)
    assert "without FLOP or without traffic: copy, silent." in ax.figure.get_supxlabel()
    assert is_readable(ax)


def test_a_kernel_with_traffic_at_one_level_has_one_mark():
    ax = plot_roofline([RooflinePoint("shared only", 100, 100, 0)], ROUND)
    assert (len(marks(ax, "o")), len(marks(ax, "s"))) == (1, 0)


def test_the_roofs_alone_can_be_drawn():
    ax = plot_roofline([], ROUND)
    assert len(ax.lines) == 3 and is_readable(ax)


def test_the_alternative_text_says_it_all():
    said = style.alt_text(plot_roofline([SAXPY, NAIVE], ROUND))
    for part in ("round", "64 TFLOP/s", "32 TB/s", "4 TB/s", "FLOP/s over FLOP/byte", COMPUTED):
        assert part in said
    assert (
        "naive: 0.4 FLOP/byte through L1 and 50 FLOP/byte of device memory, at most "
        "12.8 TFLOP/s or 20% of the peak, limited by L1."
    ) in said


def test_a_caption_replaces_the_default():
    given = dataclasses.replace(roofline_caption([NAIVE], ROUND), title="mine")
    assert plot_roofline([NAIVE], ROUND, caption=given).get_title(loc="left") == "mine"
    bare = Caption(title="t", alt="an alternative", source="s")
    assert style.alt_text(plot_roofline([NAIVE], ROUND, caption=bare)) == "an alternative"


def test_it_draws_into_the_axes_it_is_given():
    ax = style.new_axes(4.5)
    assert plot_roofline([NAIVE], ROUND, ax=ax) is ax
