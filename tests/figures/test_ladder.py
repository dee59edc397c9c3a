"""The ladder as a picture: bounds and measurements on one axis, cuBLAS in a column of its own."""

from __future__ import annotations

import dataclasses

import pytest

from gpuedu.figures import style
from gpuedu.figures.ladder import NO_RECORD, ladder_caption, plot_ladder
from gpuedu.lens.ladder import Ladder, LadderRow, Measured
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

H200, T4, UNKNOWN = "NVIDIA H200", "Tesla T4", "NVIDIA Something 9000"
BOUNDS = (
    ("by-columns", "by columns", 0.03, "L1", 0.004),
    ("naive", "naive", 0.2, "L1", 0.03),
    ("tiled", "shared tiles", 0.12, "L1", 0.12),
    ("wide-register-tile", "wide register tile 8x8", 1.0, "arithmetic", 0.95),
)


def ladder(*devices, own=(), without=(), cublas=True, languages=("Numba",)):
    """Rungs in each language; the i-th reaches (i + 1) / 10 of the peak, and cuBLAS 0.8 of it."""

    def measured(slug, share):
        return tuple(
            Measured(
                device,
                None if device == UNKNOWN else share,
                share / 0.8 if cublas else None,
                device in own,
            )
            for device in devices
            if (slug, device) not in without
        )

    rows = [
        LadderRow(slug, name, language, bound, limit, low, measured(slug, (place + 1) / 10))
        for language in languages
        for place, (slug, name, bound, limit, low) in enumerate(BOUNDS)
    ]
    if devices and cublas:
        rows.append(LadderRow("cublas", "cuBLAS", "library", measured=measured("cublas", 0.8)))
    n = 4096 if devices else None
    return Ladder(tuple(rows), "H200 SXM", n, 256, dict.fromkeys(devices, "2026-11-22"))


def ends(ax, gid):
    """Where the bars of a kind end, from the top row to the bottom one."""
    bars = [patch for patch in ax.patches if patch.get_gid() == gid]
    return [bar.get_x() + bar.get_width() for bar in sorted(bars, key=lambda b: -b.get_y())]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def column(ax, heading):
    """The texts of the column with this heading, from top to bottom."""
    (head,) = [text for text in ax.texts if text.get_text() == heading]
    own = [t for t in ax.texts if t is not head and t.get_position()[0] == head.get_position()[0]]
    return [text.get_text() for text in sorted(own, key=lambda text: -text.xy[1])]


def is_readable(ax):
    return not overlapping_texts(ax) and not texts_outside(ax) and smallest_text_pt(ax) >= 8.5


def test_without_a_record_bounds_are_drawn_and_that_is_said():
    ax = plot_ladder(ladder())
    assert ends(ax, "bound") == [0.03, 0.2, 0.12, 1.0]
    assert ends(ax, "measured") == []
    assert column(ax, "at most,\n% of\npeak") == [
        "3%, L1",
        "20%, L1",
        "12%, L1",
        "100%, arithmetic",
    ]
    for said in (ax.figure.get_supxlabel(), style.alt_text(ax)):
        assert NO_RECORD in said
        assert "computed from counts and the data sheet, not measured" in said
    assert is_readable(ax)


def test_a_recorded_device_has_bars_of_the_peak_and_a_column_of_cublas():
    ax = plot_ladder(ladder(H200))
    assert ends(ax, "measured") == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.8])
    assert column(ax, "% of\ncuBLAS,\nH200 SXM") == ["12%", "25%", "37%", "50%", "100%"]
    assert "H200 SXM: measured at n = 4,096, 2026-11-22." in ax.figure.get_supxlabel()
    assert NO_RECORD not in ax.figure.get_supxlabel() + style.alt_text(ax)
    assert ax.get_xlabel() == "share of the fp32 peak"
    assert is_readable(ax)


def test_bounds_are_hatched_and_measurements_are_not():
    ax = plot_ladder(ladder(H200))
    hatched = {p.get_gid(): bool(p.get_hatch()) for p in ax.patches}
    assert hatched == {"bound": True, "measured": False}


def test_the_own_device_is_yours_by_word_and_star():
    ax = plot_ladder(ladder(H200, T4, own=(T4,)))
    stars = [line for line in ax.lines if line.get_marker() == "*"]
    assert sorted(line.get_xdata()[0] for line in stars) == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.8])
    assert "% of\ncuBLAS,\nT4\n(yours)" in texts(ax)
    assert "% of\ncuBLAS,\nH200 SXM" in texts(ax)
    assert "T4 (yours): measured" in ax.figure.get_supxlabel()
    assert "measured on T4 (yours) 10% of the peak and 12% of cuBLAS" in style.alt_text(ax)
    assert is_readable(ax)


def test_only_ones_own_device():
    ax = plot_ladder(ladder(T4, own=(T4,)))
    assert len(ends(ax, "measured")) == len([a for a in ax.lines if a.get_marker() == "*"]) == 5
    assert is_readable(ax)


def test_bars_of_a_row_stand_in_the_order_of_the_columns():
    ax = plot_ladder(ladder(H200, T4))
    top = sorted((p for p in ax.patches if p.get_gid() == "measured"), key=lambda p: -p.get_y())
    assert top[0].get_facecolor() != top[1].get_facecolor()
    assert [p.get_facecolor() for p in top[:2]] == [p.get_facecolor() for p in top[2:4]]
    assert "Bars from top to bottom are the columns from left to right." in (
        ax.figure.get_supxlabel()
    )


def test_a_rung_that_a_device_lacks_keeps_its_bound_and_has_a_dash():
    ax = plot_ladder(ladder(H200, without={("naive", H200)}))
    assert len(ends(ax, "bound")) == 4 and len(ends(ax, "measured")) == 4
    assert column(ax, "% of\ncuBLAS,\nH200 SXM") == ["12%", "-", "37%", "50%", "100%"]


def test_without_cublas_the_column_is_empty():
    ax = plot_ladder(ladder(H200, cublas=False))
    assert column(ax, "% of\ncuBLAS,\nH200 SXM") == ["-"] * 4
    assert ends(ax, "measured") == pytest.approx([0.1, 0.2, 0.3, 0.4])


def test_a_device_without_a_known_peak_has_no_bars_and_says_so():
    ax = plot_ladder(ladder(UNKNOWN, own=(UNKNOWN,)))
    assert ends(ax, "measured") == []
    assert column(ax, "% of\ncuBLAS,\nSomething\n9000\n(yours)")[0] == "12%"
    assert "Its peak is not known, so it has no bars." in ax.figure.get_supxlabel()
    assert is_readable(ax)


def test_the_bound_without_caches_is_a_line_where_it_is_lower():
    ax = plot_ladder(ladder())
    lines = [line for line in ax.lines if line.get_gid() == "uncached"]
    assert [line.get_xdata()[0] for line in reversed(lines)] == [0.004, 0.03, 0.95]
    assert "Without caches" in ax.figure.get_supxlabel()
    same = tuple(dataclasses.replace(row, uncached_share=None) for row in ladder().rows)
    ax = plot_ladder(dataclasses.replace(ladder(), rows=same))
    assert "Without caches" not in ax.figure.get_supxlabel()


def test_a_rung_that_was_not_counted_has_no_bound():
    rows = (LadderRow("x", "a rung", "CUDA C"), *ladder().rows)
    ax = plot_ladder(dataclasses.replace(ladder(), rows=rows))
    assert column(ax, "at most,\n% of\npeak")[0] == "-"
    assert len(ends(ax, "bound")) == 4
    assert "a rung (CUDA C): neither counted nor measured." in style.alt_text(ax)


def test_a_measurement_above_the_peak_of_the_data_sheet_is_not_cut_off():
    row = LadderRow("x", "a rung", "CUDA C", 1.0, "arithmetic", None, (Measured(H200, 1.1, 1.0),))
    ax = plot_ladder(Ladder((row,), "H200 SXM", 512))
    assert ax.get_xlim()[1] > 1.1


THREE = ("NVIDIA GeForce RTX 4090", H200, "NVIDIA A100-SXM4-80GB")
BOTH = ("Numba", "CUDA C")


@pytest.mark.parametrize(
    ("devices", "languages"), [((), BOTH), ((H200, T4), BOTH), (THREE, BOTH), (THREE, BOTH[:1])]
)
def test_it_can_be_read_with_up_to_three_devices_and_two_languages(devices, languages):
    ax = plot_ladder(ladder(*devices, own=devices[-1:], languages=languages))
    assert is_readable(ax)
    assert ax.get_window_extent().width > 2.0 * ax.figure.dpi
    assert len(style.alt_text(ax)) > 100


def test_a_caption_replaces_the_default_and_axes_are_drawn_into():
    given = dataclasses.replace(ladder_caption(ladder()), title="mine")
    ax = style.new_axes(4.5)
    assert plot_ladder(ladder(), caption=given, ax=ax) is ax
    assert ax.get_title(loc="left") == "mine"
