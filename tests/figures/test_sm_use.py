import pytest

from gpuedu.figures.caption import Caption
from gpuedu.figures.sm_use import SmUse, plot_sm_use
from tests.figures.legibility import overlapping_texts, texts_outside

CAPTION = Caption(title="a title", alt="use", source="a source", x="time")
PROGRAM = SmUse("busy", ((0.0, 0.004, 10), (0.002, 0.006, 5)), ("one", "two"))


def test_kernels_that_run_together_add_their_sms():
    ax = plot_sm_use([PROGRAM], 20, 0.008, caption=CAPTION)
    (line,) = [line for line in ax.lines if len(line.get_xdata()) > 2]
    assert list(line.get_xdata()) == pytest.approx([0, 2, 4, 6, 8])
    heights = [y - line.get_ydata()[-1] for y in line.get_ydata()]
    assert heights == pytest.approx([0.5, 0.75, 0.25, 0, 0])


def test_below_it_stands_when_any_kernel_ran():
    ax = plot_sm_use([PROGRAM], 20, 0.008, caption=CAPTION)
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(6)


def test_texts_are_legible_and_a_program_without_kernels_is_drawn():
    ax = plot_sm_use([PROGRAM, SmUse("idle", (), ("nothing",))], 132, 0.008, caption=CAPTION)
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert ax.get_xlabel() == "time (ms)"
