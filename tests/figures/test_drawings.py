"""The drawings that are no plots: workers, chips, stacks, dot products, chains."""

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.chains import ChainStep, Loop, plot_chains
from gpuedu.figures.chips import CACHE, CONTROL, LANE, Chip, plot_chips
from gpuedu.figures.dots import Product, plot_product
from gpuedu.figures.stacks import Layer, plot_stack
from gpuedu.figures.workers import Crew, WorkerTask, plot_workers

CAPTION = Caption(title="a title", alt="a drawing", source="a sketch")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def filled(ax, color):
    from matplotlib.colors import to_rgba

    return [patch for patch in ax.patches if patch.get_facecolor() == to_rgba(color)]


def test_workers_draw_each_task_once_from_start_to_end():
    crew = Crew(
        "crew", (WorkerTask(0, 0, 2), WorkerTask(0, 2, 3), WorkerTask(1, 0, 5)), style.BLUE, 1.0
    )
    ax = plot_workers([crew], caption=CAPTION)
    spans = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches]
    assert spans == [(0, 2), (2, 3), (0, 5)]
    assert "first result at 2" in texts(ax) and "all 3 at 5" in texts(ax)


def test_workers_that_end_together_say_so_in_one_place():
    crew = Crew("crew", (WorkerTask(0, 0, 4), WorkerTask(1, 0, 4)), style.BLUE, 1.0)
    assert crew.moments == ((4, "first result at 4,\nall 2 at 4"),)


def chip(**changes):
    parts = {
        "name": "chip",
        "core": "SM",
        "columns": 3,
        "rows": 2,
        "lane_columns": 4,
        "lane_rows": 5,
        "control_share": 0.2,
        "core_cache_share": 0.2,
        "shared_cache_share": 0.1,
        "core_cache": "L1",
        "shared_cache": "L2",
        "memory": "memory",
        "is_enlarged": False,
    }
    return Chip(**{**parts, **changes})


def test_a_chip_has_the_blocks_of_its_record():
    ax = plot_chips([chip()], caption=CAPTION)
    assert len(filled(ax, LANE)) == 3 * 2 * 4 * 5
    assert len(filled(ax, CONTROL)) == 6
    assert len(filled(ax, CACHE)) == 6 + 1
    assert texts(ax).count("control") == 6


def test_an_enlarged_core_carries_the_names_instead():
    ax = plot_chips([chip(is_enlarged=True)], caption=CAPTION)
    assert len(filled(ax, CONTROL)) == 6 + 1
    assert texts(ax).count("control") == 1 and "one SM, enlarged" in texts(ax)


def test_control_and_caches_take_the_shares_they_are_given():
    (control, *_) = filled(plot_chips([chip(control_share=0.5)], caption=CAPTION), CONTROL)
    (narrow, *_) = filled(plot_chips([chip(control_share=0.1)], caption=CAPTION), CONTROL)
    assert control.get_width() == 5 * narrow.get_width()


def test_rows_of_a_stack_are_aligned_and_a_shared_one_spans_all():
    ax = plot_stack(
        ("left", "right"),
        (Layer("top", ("both",)), Layer("bottom", ("one", "two"))),
        caption=CAPTION,
    )
    shared, one, two = ax.patches
    assert one.get_y() == two.get_y() < shared.get_y()
    assert shared.get_x() <= one.get_x() and shared.get_width() > 2 * one.get_width()
    assert texts(ax) == ["left", "right", "top", "both", "bottom", "one", "two"]


def test_a_product_colors_one_row_one_column_and_where_they_meet():
    ax = plot_product(Product(m=3, k=4, n=5, row=2, column=1), caption=CAPTION)
    row, column = filled(ax, style.BLUE), filled(ax, style.ORANGE)
    (meeting,) = filled(ax, style.GREEN)
    assert (len(row), len(column)) == (4, 4)
    assert {patch.get_y() for patch in row} == {meeting.get_y()}
    assert {patch.get_x() for patch in column} == {meeting.get_x()}
    assert len(ax.patches) == 3 * 4 + 4 * 5 + 3 * 5


def test_chains_fill_the_longest_and_draw_an_arrow_for_each_wait():
    steps = (ChainStep(0, 2), ChainStep(1, 1, (0,)), ChainStep(2, 1, (0,)), ChainStep(1, 0, (1,)))
    ax = plot_chains([Loop("code", steps, (0, 1, 3), ("note",), style.RED)], caption=CAPTION)
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert [dot.get_markerfacecolor() == style.RED for dot in dots] == [True, True, False, True]
    arrows = [text.arrow_patch for text in ax.texts if getattr(text, "arrow_patch", None)]
    assert len(arrows) == 3
    assert texts(ax)[0] == "code" and "note" in texts(ax)
