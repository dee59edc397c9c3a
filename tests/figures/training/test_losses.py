import math

import numpy as np
import pytest

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Level, Mark
from gpuedu.figures.training import LossCurve, plot_losses
from gpuedu.figures.training.losses import NOTHING
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption(title="losses", alt="curves", source="measured", x="step", y="loss (nat)")
STEPS = tuple(range(50))
FALLING = LossCurve("falls", STEPS, tuple(2.3 * math.exp(-step / 20) for step in STEPS))
FLAT = LossCurve("stays", STEPS, tuple(2.3 + 0.01 * (step % 3) for step in STEPS))


def texts(ax):
    return [text.get_text() for text in ax.texts]


def wide(ax):
    """The lines of the curves: neither pale points nor marks."""
    return [line for line in ax.lines if line.get_linewidth() == 1.8 and len(line.get_xdata()) > 1]


def crosses(ax):
    return [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in ax.lines
        if line.get_marker() == "X"
    ]


def test_the_lines_are_the_records_and_named():
    ax = plot_losses([FALLING, FLAT], caption=CAPTION)
    assert [tuple(line.get_ydata()) for line in wide(ax)] == [FALLING.losses, FLAT.losses]
    assert texts(ax) == ["falls", "stays"]
    assert crosses(ax) == []
    assert len({line.get_color() for line in wide(ax)}) == 2
    assert len({str(line.get_linestyle()) for line in wide(ax)}) == 2


def test_the_caption_is_written():
    ax = plot_losses([FALLING], caption=CAPTION)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("step", "loss (nat)")
    assert style.alt_text(ax) == "curves"
    assert ax.figure.get_supxlabel() == "measured"


def test_it_can_be_read():
    curves = [LossCurve(f"rate {rate}", STEPS, FALLING.losses) for rate in (0.1, 0.2, 0.5, 1.0)]
    ax = plot_losses(curves, caption=CAPTION, levels=[Level("guessing", 2.3, style.QUIET)])
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8


def test_arrays_are_records_too():
    curve = LossCurve("array", np.arange(3), np.array([3.0, 2.0, 1.0], dtype=np.float32))
    assert curve.losses == (3.0, 2.0, 1.0)
    assert LossCurve("array", [0, 1, 2], [3, 2, 1]) == curve


def test_a_band_is_filled_between_its_edges():
    low, high = [loss - 0.1 for loss in FALLING.losses], [loss + 0.3 for loss in FALLING.losses]
    ax = plot_losses([LossCurve("band", STEPS, FALLING.losses, low, high)], caption=CAPTION)
    (band,) = ax.collections
    edges = band.get_paths()[0].vertices[:, 1]
    assert (edges.min(), edges.max()) == (pytest.approx(min(low)), pytest.approx(max(high)))
    assert ax.get_ylim()[1] > max(high)


def test_a_smoothed_line_has_its_points_behind_it():
    smoothed = tuple(loss + 0.05 for loss in FLAT.losses)
    ax = plot_losses([LossCurve("s", STEPS, FLAT.losses, smoothed=smoothed)], caption=CAPTION)
    points, line = ax.lines
    assert tuple(points.get_ydata()) == FLAT.losses and points.get_alpha() < 0.5
    assert tuple(line.get_ydata()) == smoothed and line.get_alpha() is None


def test_a_run_that_ends_in_nan_is_marked_at_its_last_loss():
    lost = LossCurve("lost", (0, 1, 2, 3, 4), (2.0, 1.5, 1.0, math.nan, math.inf))
    ax = plot_losses([lost], caption=CAPTION)
    assert crosses(ax) == [(2.0, 1.0)]
    assert texts(ax) == ["lost\n(diverged at 3)"]


def test_a_run_that_explodes_leaves_the_axes_where_it_is_marked():
    wild = LossCurve("wild", STEPS, tuple(2.3 * 1.5**step for step in STEPS))
    ax = plot_losses([wild, FALLING], caption=CAPTION)
    assert ax.get_ylim()[1] < 2.3 * 1.8
    ((step, loss),) = crosses(ax)
    assert step == 2.0 and loss == ax.get_ylim()[1]
    assert texts(ax)[0] == "wild\n(diverged at 2)"


def test_the_ceiling_can_be_set():
    wild = LossCurve("wild", STEPS, tuple(1.0 + step for step in STEPS))
    ax = plot_losses([wild], caption=CAPTION, ceiling=10.0)
    assert crosses(ax)[0][0] == 10.0
    assert crosses(plot_losses([wild], caption=CAPTION, ceiling=100.0)) == []


def test_a_spike_that_is_over_is_no_divergence():
    spike = LossCurve("spike", (0, 1, 2, 3), (2.0, 50.0, 1.0, 0.5))
    ax = plot_losses([spike], caption=CAPTION)
    assert crosses(ax) == [] and texts(ax) == ["spike"]


def test_learning_rates_stand_on_a_logarithmic_axis():
    rates = np.geomspace(1e-4, 10, 30)
    sweep = LossCurve("batch 32", rates, 2.3 - 0.2 * np.sin(np.linspace(0, 3, 30)))
    mark = Mark("chosen", 0.1, 2.1)
    ax = plot_losses([sweep], caption=CAPTION, marks=[mark], log_x=True)
    assert ax.get_xscale() == "log" and ax.get_yscale() == "linear"
    assert "chosen" in texts(ax)
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []


def test_the_x_axis_has_its_numbers_where_they_are_asked_for():
    curve = LossCurve("mine", (12, 100, 1000), (2.0, 1.0, 0.5))
    ax = plot_losses([curve], caption=CAPTION, log_x=True, x_ticks=curve.steps)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["12", "100", "1,000"]


def test_steps_in_thousands_have_a_comma():
    ax = plot_losses([LossCurve("mine", (0, 4000), (2.0, 1.0))], caption=CAPTION)
    ax.figure.canvas.draw()
    assert "1,000" in [label.get_text() for label in ax.get_xticklabels()]


def test_a_logarithmic_loss_axis_leaves_out_what_it_cannot_show():
    curve = LossCurve("to zero", (0, 1, 2, 3), (1.0, 0.1, 0.01, 0.0))
    ax = plot_losses([curve], caption=CAPTION, log_y=True)
    assert ax.get_yscale() == "log" and ax.get_ylim()[0] > 0
    assert texts_outside(ax) == []


@pytest.mark.parametrize("curves", [[], [LossCurve("nan", (0, 1), (math.nan, math.nan))]])
@pytest.mark.parametrize("log", [True, False])
def test_no_finite_loss_is_said(curves, log):
    ax = plot_losses(curves, caption=CAPTION, log_x=log, log_y=log)
    assert texts(ax) == [NOTHING]


def test_a_single_step_is_a_point():
    ax = plot_losses([LossCurve("one", (7,), (2.3,))], caption=CAPTION)
    low, high = ax.get_xlim()
    (point,) = (line for line in ax.lines if line.get_marker() == "o")
    assert low < 7 < high and list(point.get_xdata()) == [7]


def test_the_markers_of_few_points_are_whole_on_the_edge_of_the_axes():
    curve = LossCurve("one", (1, 2, 3), (2.0, 90.0, 1.0))
    ax = plot_losses([curve], caption=CAPTION, ceiling=3.0)
    (points,) = (line for line in ax.lines if line.get_marker() == "o")
    assert list(points.get_xdata()) == [1, 3]  # the second one lies above the axes
    assert not points.get_clip_on()


@pytest.mark.parametrize("what", ["losses", "low", "high", "smoothed"])
def test_lengths_that_differ_are_refused(what):
    texts = {"losses": (1, 2), "low": (1, 2), "high": (1, 2), "smoothed": (1, 2)} | {what: (1,)}
    with pytest.raises(ValueError, match=f"'run' has 2 steps, but 1 in '{what}'"):
        LossCurve("run", (0, 1), **texts)


def test_half_a_band_is_refused():
    with pytest.raises(ValueError, match="both 'low' and 'high'"):
        LossCurve("run", (0, 1), (1, 2), low=(0, 1))


def test_it_draws_into_the_axes_it_is_given():
    ax = style.new_axes()
    assert plot_losses([FALLING], caption=CAPTION, ax=ax) is ax
