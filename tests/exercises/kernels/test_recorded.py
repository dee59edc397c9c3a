"""Recorded times in the lessons: drawn where there are some, and said where there are none."""

from __future__ import annotations

import re

import pytest

from gpuedu.exercises.cooperation.recorded import draw_recorded_cooperation, draw_recorded_softmax
from gpuedu.exercises.cupy.recorded import draw_recorded_cupy
from gpuedu.exercises.memory.recorded import draw_recorded_memory
from gpuedu.exercises.registry import load_picture
from gpuedu.figures.recorded import OWN
from gpuedu.figures.style import alt_text
from gpuedu.syllabus import lesson as find_lesson
from tests.exercises.planted_records import NO_MEMORY, plant, plant_nothing
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

H200, T4, OTHER = "NVIDIA H200", "Tesla T4", "NVIDIA Something 9000"
MEMORY = ("coalescing", "layouts", "transposes", "copy-by-stride")
COOPERATION = ("block-sums", "histograms", "atomics")
CUPY = ("launch-latency", "host-device-copies")
_CLAIM = re.compile(
    r"(?i)\bno (recorded|record|times|measurements)\b|\bnot recorded\b|recorded yet"
)
LESSONS = {
    "memory": (draw_recorded_memory, MEMORY),
    "cooperation": (draw_recorded_cooperation, COOPERATION),
    "cupy": (draw_recorded_cupy, CUPY),
}


@pytest.fixture(autouse=True)
def _no_records(monkeypatch, tmp_path):
    plant_nothing(monkeypatch, tmp_path)


def panels(ax):
    return {one.get_title("left"): one for one in ax.figure.axes}


def bars(ax):
    """Lengths of the bars, from the top to the bottom one."""
    found = [patch for patch in ax.patches if patch.get_gid() == "recorded"]
    return [bar.get_width() for bar in sorted(found, key=lambda bar: bar.get_y())]


def stars(ax):
    return [line for line in ax.lines if line.get_gid() == "own"]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def source(ax):
    return ax.figure.get_supxlabel()


def is_readable(ax):
    return not overlapping_texts(ax) and not texts_outside(ax) and smallest_text_pt(ax) >= 8.5


@pytest.mark.parametrize("lesson", LESSONS)
def test_without_a_record_a_sentence_says_so(lesson):
    said = load_picture(f"{lesson}/recorded")()
    assert isinstance(said, str) and len(said.splitlines()) == 2
    assert said.startswith("No times of ") and "`gpuedu record`" in said


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_name_of_a_lesson_is_one_that_is_recorded(lesson, tmp_path):
    draw, names = LESSONS[lesson]
    plant(tmp_path, OTHER, *names)
    told = alt_text(draw())
    assert "ot recorded" not in told and "left out" not in told.lower()


@pytest.mark.parametrize("lesson", LESSONS)
def test_one_device_two_and_three_can_be_read(lesson, tmp_path):
    draw, names = LESSONS[lesson]
    for device in (H200, T4, "NVIDIA H100 80GB HBM3 MIG 1g.10gb"):
        plant(tmp_path, device, *names, own=device == T4)
        ax = draw()
        assert is_readable(ax)
    assert len(panels(ax)) == len(names)


def test_one_device_is_named_in_the_title_with_date_and_versions(tmp_path):
    plant(tmp_path, H200, *MEMORY, date="2026-11-20T08:30:00+00:00")
    ax = draw_recorded_memory()
    assert ax.figure.get_suptitle() == "Global memory, recorded on the H200 SXM"
    assert "Recorded on the H200 SXM: 2026-11-20, driver 580.1, CUDA 13.0." in source(ax)
    assert not any("H200" in text for one in ax.figure.axes for text in texts(one))
    assert not any(stars(one) for one in ax.figure.axes)


def test_bars_are_bytes_by_time_with_the_time_beside_them(tmp_path):
    plant(
        tmp_path, OTHER, "coalescing", median=lambda r: 4e-6 if r["kernel"] == "blocked" else 1e-6
    )
    (ax,) = draw_recorded_memory().figure.axes
    n = 12 * 1024 // 8  # TINY's array, in float32, read and written
    assert bars(ax) == pytest.approx([8 * 2 * n / 4e-6, 8 * 2 * n / 1e-6])
    assert texts(ax) == ["6.14 GB/s, 4 µs", "24.6 GB/s, 1 µs"]


def test_the_spread_is_a_line_as_wide_as_it(tmp_path):
    plant(tmp_path, OTHER, "coalescing")
    (ax,) = draw_recorded_memory().figure.axes
    lines = [line for line in ax.lines if line.get_gid() == "spread"]
    widths = [line.get_xdata()[1] - line.get_xdata()[0] for line in lines]
    assert widths == pytest.approx([0.04 * length for length in bars(ax)])


def test_a_series_may_ask_for_times_since_bytes_that_nobody_wanted_make_long_bars(tmp_path):
    plant(tmp_path, OTHER, "layouts", median=lambda r: 3e-6 if "array of" in r["kernel"] else 1e-6)
    (ax,) = draw_recorded_memory().figure.axes
    assert ax.get_xlabel() == "time (µs)"


def test_the_softmax_stands_beside_a_copy(tmp_path):
    plant(tmp_path, H200, "softmax", "copy-by-size")
    ax = draw_recorded_softmax()
    assert len(panels(ax)) == 2 and is_readable(ax)


def test_lines_of_one_device_have_colors_of_their_own(tmp_path):
    plant(tmp_path, H200, "atomics")
    (ax,) = draw_recorded_cooperation().figure.axes
    assert len({line.get_color() for line in ax.lines}) == 2


def test_without_bytes_the_time_is_drawn(tmp_path):
    plant(
        tmp_path, OTHER, "launch-latency", median=lambda r: 2e-6 if "after" in r["mode"] else 8e-6
    )
    (ax,) = draw_recorded_cupy().figure.axes
    assert bars(ax) == pytest.approx([2e-6, 8e-6] * 3)
    assert ax.get_xlabel() == "time (µs)"
    assert set(texts(ax)) == {"2 µs", "8 µs"}


def test_times_that_are_compared_have_one_unit(tmp_path):
    plant(
        tmp_path, OTHER, "launch-latency", median=lambda r: 4e-5 if "after" in r["mode"] else 8e-3
    )
    (ax,) = draw_recorded_cupy().figure.axes
    assert ax.get_xlabel() == "time (ms)"
    assert set(texts(ax)) == {"0.04 ms", "8 ms"}


def test_the_own_device_comes_first_and_is_yours_by_word_and_star(tmp_path):
    plant(tmp_path, H200, *MEMORY, date="2026-12-24", median=1e-4)
    plant(tmp_path, T4, *MEMORY, date="2026-01-01", own=True)
    ax = draw_recorded_memory()
    copies = panels(ax)["A copy, 8 elements per thread"]
    assert [text.rpartition("   ")[2] for text in texts(copies)] == ["T4 (yours)", "H200 SXM"] * 2
    assert len(stars(copies)) == 2 and {star.get_color() for star in stars(copies)} == {OWN}
    assert source(ax).index("T4 (yours): 2026-01-01") < source(ax).index("H200 SXM: 2026-12-24")
    assert "on T4 (yours)" in alt_text(ax) and "on H200 SXM" in alt_text(ax)
    strided = panels(ax)["A copy of every s-th float32"]
    assert set(texts(strided)) == {"T4 (yours)", "H200 SXM"}


def test_at_most_three_devices_are_drawn_the_own_and_the_newest(tmp_path):
    for day, device in enumerate(("NVIDIA L4", H200, OTHER, "NVIDIA H100 PCIe"), 10):
        plant(tmp_path, device, "softmax", date=f"2026-11-{day}")
    plant(tmp_path, T4, "softmax", date="2025-01-01", own=True)
    ax = draw_recorded_softmax()
    drawn = [text.rpartition("   ")[2] for text in texts(ax)]
    assert drawn == ["T4 (yours)", "H100 PCIe", "Something 9000"]
    assert "Recorded, not drawn: H200 SXM, L4." in source(ax)
    assert "Recorded, not drawn: H200 SXM, L4." in alt_text(ax)


def test_what_the_course_recorded_of_ones_own_device_is_not_ones_own(tmp_path):
    plant(tmp_path, OTHER, "coalescing", "transposes")
    plant(tmp_path, OTHER, "coalescing", own=True)
    found = panels(draw_recorded_memory())
    assert len(stars(found["A copy, 8 elements per thread"])) == 2
    assert stars(found["A transpose"]) == []
    assert {text.rpartition("   ")[2] for text in texts(found["A transpose"])} == {"Something 9000"}


def test_a_series_that_nobody_recorded_is_said(tmp_path):
    plant(tmp_path, H200, "coalescing", "copy-by-stride")
    ax = draw_recorded_memory()
    assert len(panels(ax)) == 2
    for said in (source(ax), alt_text(ax)):
        assert "Not recorded yet: layouts, transposes." in said


def test_a_series_that_one_device_lacks_is_said_of_it(tmp_path):
    plant(tmp_path, H200, *CUPY)
    plant(tmp_path, T4, "launch-latency", own=True)
    ax = draw_recorded_cupy()
    assert "Not recorded on the T4 (yours): copies to the device." in source(ax)
    assert "Not recorded yet" not in source(ax)
    assert is_readable(ax)


def test_a_bar_that_was_left_out_says_why_in_its_place(tmp_path):
    plant(tmp_path, T4, "block-sums", without=lambda row: row["kernel"] == "tree")
    ax = draw_recorded_cooperation()
    assert len(bars(ax)) == 2
    assert texts(ax)[1] == f"left out: {NO_MEMORY}"
    assert f"by halves left out: {NO_MEMORY} on T4" in alt_text(ax)
    assert is_readable(ax)


def test_only_the_share_that_is_missing_is_left_out(tmp_path):
    def is_out(row):
        return row["kernel"] == "atomic" and row["share"] == 0.95

    plant(tmp_path, T4, "histograms", without=is_out)
    shown = texts(draw_recorded_cooperation())
    assert [text.startswith("left out") for text in shown] == [0, 0, 0, 0, 1, 0]


def test_points_that_a_line_lacks_are_counted(tmp_path):
    plant(tmp_path, T4, "copy-by-stride", median=1e9, without=lambda row: row["stride"] > 1)
    ax = draw_recorded_memory()
    assert "Left out on the T4: 2 points of copies with a stride, memory is" in source(ax)


def test_where_no_line_can_be_drawn_the_others_are(tmp_path):
    plant(tmp_path, T4, *CUPY, without=lambda row: row.get("direction") == "to device")
    ax = draw_recorded_cupy()
    assert len(panels(ax)) == 1
    assert "pinned left out" in alt_text(ax) and "6 points" not in alt_text(ax)


def test_lines_are_rates_by_size(tmp_path):
    plant(tmp_path, OTHER, "host-device-copies", median=lambda row: row["size_bytes"] / 5e9)
    (ax,) = draw_recorded_cupy().figure.axes
    assert [list(line.get_ydata()) for line in ax.lines] == [pytest.approx([5.0, 5.0])] * 2
    assert sorted(texts(ax)) == ["pageable", "pinned"]
    assert "pinned from 5 GB/s at 64 B to 5 GB/s at 1 KiB" in alt_text(ax)


def test_bytes_from_a_cache_are_said(tmp_path):
    plant(tmp_path, OTHER, *MEMORY)  # TINY's arrays are smaller than the planted L2 cache
    assert "Not all bytes came from device memory: copies, layouts, transposes, copies" in (
        source(draw_recorded_memory()).replace("\n", " ").replace(";", ",")
    )


@pytest.mark.parametrize("lesson", LESSONS)
@pytest.mark.parametrize("place", ["solutions", "notebooks"])
def test_a_lesson_shows_records_and_claims_nothing_about_them(lesson, place, root):
    folder = find_lesson(lesson).folder
    text = (root / place / folder / f"{folder}.ipynb").read_text("utf-8")
    assert text.count(f'see(\\"{lesson}/recorded\\")') == 1
    assert _CLAIM.findall(re.sub(r"\\n\",\s+\"(# )?", " ", text)) == []
