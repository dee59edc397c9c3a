"""A profile, drawn: which bars stand on which lane, what the gaps say, whether it can be read."""

from __future__ import annotations

import pytest
from matplotlib.collections import PolyCollection

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.lane_looks import look_of
from gpuedu.figures.profile import plot_profile
from gpuedu.profiles import Profile, Span, StepSpan, load_profile
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside
from tests.profiles.planted import write_trace

CAPTION = Caption("a title", "an alternative text", "a source", x="time")


@pytest.fixture
def gpu(tmp_path):
    return load_profile(write_trace(tmp_path / "trace.json"))


def on_cpu(*operators, steps=((0.0, 10e-3),)):
    spans = tuple(Span(name, "host", start, time, depth) for name, start, time, depth in operators)
    marks = tuple(StepSpan(number, *times) for number, times in enumerate(steps, 1))
    return Profile("cpu", marks, spans, (), ())


CPU = on_cpu(
    ("aten::linear", 0.0, 4e-3, 0),
    ("aten::addmm", 1e-3, 2e-3, 1),
    ("autograd::engine::evaluate_function: AddmmBackward0", 5e-3, 4e-3, 0),
    ("AddmmBackward0", 5e-3, 4e-3, 1),
    ("aten::mm", 5e-3, 3e-3, 2),
)


def bars(ax, lane, color):
    """Start and end of the bars of one color on the row of this name."""
    rows = {
        label.get_text(): y for y, label in zip(ax.get_yticks(), ax.get_yticklabels(), strict=True)
    }
    found = []
    for one in ax.collections:
        if not isinstance(one, PolyCollection) or not style_is(one, color):
            continue
        for path in one.get_paths():
            (left, low), (right, high) = path.get_extents().get_points()
            if low < rows[lane] < high:
                found.append((round(left, 3), round(right, 3)))
    return found


def style_is(collection, color):
    from matplotlib.colors import to_rgba

    return tuple(collection.get_facecolor()[0]) == to_rgba(color)


def keys(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def names(ax):
    return [text.get_text() for text in ax.texts]


def test_lanes_of_a_gpu(gpu):
    ax = plot_profile(gpu, caption=CAPTION)
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert rows == ["host", "inside", "host thread 2", "inside", "stream 7", "stream 20", "copies"]
    assert bars(ax, "stream 20", style.BLUE) == [(65, 80)]
    assert bars(ax, "stream 7", style.BLUE) == [(20, 50), (60, 70), (130, 160), (199, 230)]
    assert bars(ax, "copies", look_of("copy").color) == [(8, 20), (165, 167), (170, 171)]
    assert bars(ax, "host", style.SKY) == [(2, 12), (14, 34), (112, 132), (150, 195)]


def test_gaps_of_the_device_are_on_all_its_streams(gpu):
    ax = plot_profile(gpu, caption=CAPTION)
    gaps = [(0, 20), (50, 60), (80, 130), (160, 199)]
    assert bars(ax, "stream 7", style.ORANGE) == bars(ax, "stream 20", style.ORANGE) == gaps
    assert bars(ax, "host", style.ORANGE) == []
    assert keys(ax)[-1] == "device idle: 52%"


def test_the_steps_are_named_with_their_times(gpu):
    ax = plot_profile(gpu, caption=CAPTION)
    assert {"step 4: 100 µs", "step 5: 90 µs"} <= set(names(ax))


def test_kernels_are_named_by_themselves_or_by_their_operator(gpu):
    ax = plot_profile(gpu, caption=CAPTION)
    kernels = ax.get_yticks()[4]
    said = [text.get_text() for text in ax.texts if text.get_position()[1] == kernels]
    assert said == ["addmm", "add", "addmm", "nameless"]


def test_a_cpu_has_one_lane_with_what_is_inside_and_gaps_of_python():
    ax = plot_profile(CPU, caption=CAPTION)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["host", "inside"]
    assert bars(ax, "host", style.SKY) == [(0, 4), (5, 9)]
    assert bars(ax, "host", style.ORANGE) == [(4, 5), (9, 10)]
    assert keys(ax) == ["operator", "operators inside it", "Python between operators: 20%"]
    assert ax.get_xlabel() == "time (ms)"


def test_a_node_that_the_engine_wraps_is_not_drawn_twice():
    ax = plot_profile(CPU, caption=CAPTION)
    assert bars(ax, "inside", "#c6e3f5") == [(1, 3), (5, 8)]
    assert names(ax).count("AddmmBackward0") == 1
    assert "mm" in names(ax)


def test_names_that_have_no_room_are_left_out():
    crowd = on_cpu(*((f"aten::operator_{at}", at * 1e-4, 0.9e-4, 0) for at in range(100)))
    ax = plot_profile(crowd, caption=CAPTION)
    assert not [name for name in names(ax) if name.startswith("operator")]
    assert len(bars(ax, "host", style.SKY)) == 100


def test_many_short_steps_are_numbered_or_bare():
    many = on_cpu(("aten::mm", 0.0, 1e-3, 0), steps=[(at * 1e-3, 1e-3) for at in range(40)])
    ax = plot_profile(many, caption=CAPTION)
    assert overlapping_texts(ax) == []


def test_a_step_without_operators_is_drawn():
    ax = plot_profile(on_cpu(), caption=CAPTION)
    assert bars(ax, "host", style.ORANGE) == [(0, 10)]
    assert "Python between operators: 100%" in keys(ax)


@pytest.mark.parametrize("which", ["gpu", "cpu"])
def test_it_can_be_read(gpu, which):
    ax = plot_profile(gpu if which == "gpu" else CPU, caption=CAPTION)
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8.5
    assert style.alt_text(ax) == "an alternative text"


def test_it_draws_where_it_is_told_to(gpu):
    ax = style.new_axes(5.0)
    assert plot_profile(gpu, caption=CAPTION, ax=ax) is ax
