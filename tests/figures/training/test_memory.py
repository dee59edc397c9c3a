import subprocess
import sys

import pytest
from matplotlib.markers import CARETDOWN

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.training.memory import MOST_BARS, NOTHING, plot_memory
from gpuedu.training.memory import KINDS, Block, Mark, MemoryPoint, MemoryTrace, points
from gpuedu.units import MIB
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption(title="memory", alt="areas", source="counted", x="moments", y="memory")


def step(*, size_bytes=MIB):
    """A step of 40 ticks: weights throughout, activations that come and go, gradients at the end."""
    blocks = [Block("weights", size_bytes, 0)]
    blocks += [Block("activations", size_bytes // 8, 2 + i, 38 - i) for i in range(18)]
    blocks += [Block("gradients", size_bytes // 2, 26 + i) for i in range(2)]
    marks = (Mark(2, "forward"), Mark(20, "backward"), Mark(39, "update"))
    return MemoryTrace(tuple(blocks), marks, ticks=40)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def keys(ax):
    legend = ax.get_legend()
    return [text.get_text() for text in legend.get_texts()] if legend else []


def areas(ax):
    """Lowest and highest edge of each area, from the ground up."""
    edges = [area.get_paths()[0].vertices[:, 1] for area in ax.collections]
    return [(round(float(y.min()), 6), round(float(y.max()), 6)) for y in edges]


def test_kinds_are_stacked_from_the_ground_up():
    ax = plot_memory(points(step()), caption=CAPTION)
    weights, gradients, activations = areas(ax)
    assert weights == (0.0, 1.0)
    assert gradients == (1.0, 2.0)
    assert activations == (1.0, 3.375)
    assert ax.get_ylabel() == "memory (MiB)"


def test_the_phases_and_the_peak_are_told():
    ax = plot_memory(points(step()), caption=CAPTION)
    assert {"forward", "backward", "update", "peak: 3.38 MiB"} <= set(texts(ax))
    begins = [line.get_xdata()[0] for line in ax.lines if len(set(line.get_xdata())) == 1]
    assert {18, 37} <= set(begins)


def test_the_tip_of_the_arrow_is_on_the_peak():
    ax = plot_memory(points(step()), caption=CAPTION)
    (arrow,) = (line for line in ax.lines if line.get_marker() == CARETDOWN)
    assert float(arrow.get_ydata()[0]) == 3.375


def test_what_was_there_before_the_first_phase_is_left_out_unless_asked_for():
    every = points(step())
    assert plot_memory(every, caption=CAPTION).get_xlim() == (0, 38)
    assert plot_memory(every, caption=CAPTION, from_first_phase=False).get_xlim() == (0, 40)


def test_a_watch_without_phases_is_drawn_whole():
    bare = MemoryTrace(step().blocks, (), ticks=40)
    assert plot_memory(points(bare), caption=CAPTION).get_xlim() == (0, 40)


def test_a_kind_is_named_in_its_area_or_in_the_keys():
    small = Block("batch", 2**16, 1), Block("buffers", 100, 1)
    ax = plot_memory(
        points(MemoryTrace((*step().blocks, *small), step().marks, 40)), caption=CAPTION
    )
    assert {"weights", "gradients", "saved activations"} <= set(texts(ax))
    assert keys(ax) == ["batch"]  # nobody could find the buffers
    assert "optimizer state" not in texts(ax) + keys(ax)


@pytest.mark.parametrize("size_bytes", [2**9, MIB, 2**34])
@pytest.mark.parametrize("budget_bytes", [None, 2**30])
def test_it_can_be_read(size_bytes, budget_bytes):
    ax = plot_memory(
        points(step(size_bytes=size_bytes)), caption=CAPTION, budget_bytes=budget_bytes
    )
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8


def test_the_budget_is_a_line_within_the_axes():
    ax = plot_memory(points(step()), caption=CAPTION, budget_bytes=8 * MIB)
    assert "budget:\n8 MiB" in texts(ax)
    assert any(set(line.get_ydata()) == {8.0} for line in ax.lines)
    assert ax.get_ylim()[1] > 8


def test_phases_are_named_above_their_stretch_with_a_budget_beside_them():
    named = {}
    for budget_bytes in (None, 8 * MIB):
        ax = plot_memory(points(step()), caption=CAPTION, budget_bytes=budget_bytes)
        ax.figure.draw_without_rendering()
        box = ax.get_window_extent()
        named[budget_bytes] = [
            (text.get_window_extent().x0 + text.get_window_extent().width / 2 - box.x0) / box.width
            for text in ax.texts
            if text.get_text() in ("forward", "backward", "update")
        ]
    # The last one is wider than its stretch: it ends where the axes end.
    assert named[8 * MIB] == pytest.approx(named[None], abs=0.02)


def ends():
    """What lived at the end of each phase."""
    every = points(step())
    return [every[tick] for tick in (19, 38, 39)]


def test_a_few_stages_are_bars_with_their_totals():
    ax = plot_memory(ends(), caption=CAPTION)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["forward", "backward", "update"]
    assert {"3.25 MiB", "2 MiB", "weights", "saved activations"} <= set(texts(ax))
    weights = ax.patches[:3]
    assert [round(bar.get_height(), 6) for bar in weights] == [1.0, 1.0, 1.0]
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []


@pytest.mark.parametrize("count", [1, MOST_BARS, MOST_BARS + 1])
def test_any_number_of_stages_can_be_read(count):
    stages = [
        MemoryPoint(i, f"{i}", dict.fromkeys(KINDS, 0) | {"weights": MIB * (i + 1)})
        for i in range(count)
    ]
    ax = plot_memory(stages, caption=CAPTION)
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []


def test_a_kind_of_the_learners_own_is_drawn_under_its_name():
    stages = [MemoryPoint(0, "forward", {"weights": 10, "cache": 30})]
    assert "cache" in texts(plot_memory(stages, caption=CAPTION))


def test_nothing_is_said():
    ax = plot_memory([], caption=CAPTION)
    assert texts(ax) == [NOTHING]


def test_the_caption_is_written():
    ax = plot_memory(points(step()), caption=CAPTION)
    assert ax.get_title(loc="left") == "memory" and ax.get_xlabel() == "moments"
    assert style.alt_text(ax) == "areas" and ax.figure.get_supxlabel() == "counted"


def test_it_draws_into_the_axes_it_is_given():
    ax = style.new_axes()
    assert plot_memory(points(step()), caption=CAPTION, ax=ax) is ax


def test_the_figures_do_without_torch():
    code = "import sys, gpuedu.figures.training, gpuedu.figures.lanes; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
