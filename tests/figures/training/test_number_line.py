import math

import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgba

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import FormatRange, plot_number_line
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption(title="numbers", alt="a number line", source="measured", x="magnitude")
FP16 = FormatRange("fp16", 2**-24, 2**-14, 65504, 10)
BF16 = FormatRange("bf16", 2**-133, 2**-126, (2 - 2**-7) * 2.0**127, 7)
E4M3 = FormatRange("fp8 e4m3", 2**-9, 2**-6, 448, 3)
ALL = (FP16, BF16, E4M3)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def rows(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def bars(ax, name):
    """Left end and right end of the bars of a format, and whether they are striped."""
    heights = dict(zip(rows(ax), ax.get_yticks(), strict=True))
    return [
        (round(p.get_x(), 6), round(p.get_x() + p.get_width(), 3), bool(p.get_hatch()))
        for p in ax.patches
        if abs(p.get_y() + p.get_height() / 2 - heights[name]) < 1e-9
    ]


def columns(ax, count):
    """Left end and height of the first ``count`` patches, which are the histogram."""
    return [(p.get_x(), round(p.get_height(), 6)) for p in ax.patches[:count]]


def gradients(seed=0):
    """Normal deviates with magnitudes over thirty powers of two."""
    random = np.random.default_rng(seed)
    return random.standard_normal(5000) * 2.0 ** random.uniform(-30, 0, 5000)


def test_a_format_is_a_striped_bar_of_subnormals_and_a_full_one():
    ax = plot_number_line(ALL, gradients(), caption=CAPTION)
    assert rows(ax) == ["values", "fp16", "bf16", "fp8 e4m3"]
    assert bars(ax, "fp16") == [(-24, -14, True), (-14, round(math.log2(65504), 3), False)]
    assert bars(ax, "fp8 e4m3") == [(-9, -6, True), (-6, round(math.log2(448), 3), False)]


def test_a_format_without_subnormals_has_one_bar():
    flushed = FormatRange("flushed", 2**-14, 2**-14, 65504, 10)
    assert len(bars(plot_number_line([flushed], [1.0], caption=CAPTION), "flushed")) == 1


def test_a_column_counts_the_values_between_two_powers_of_two():
    values = [1.0, -1.5, 1.999, 2.0, 0.25, -0.499]
    ax = plot_number_line([FP16], values, caption=CAPTION)
    tall = ax.patches[1].get_height()
    assert columns(ax, 3) == [
        (-2, pytest.approx(tall * 2 / 3)),
        (0, pytest.approx(tall)),
        (1, pytest.approx(tall / 3)),
    ]
    assert "50%" in texts(ax)


def test_rare_values_are_still_seen():
    ax = plot_number_line([FP16], [1.0] * 10_000 + [2.0**-20], caption=CAPTION)
    rare, common = ax.patches[:2]
    assert 0.01 < rare.get_height() / common.get_height() < 0.05


def test_zeros_and_what_is_not_finite_are_told():
    ax = plot_number_line([FP16], {"g": [0.0, 0.0, 1.0, 2.0, math.nan, -math.inf]}, caption=CAPTION)
    assert rows(ax)[0] == "g\nzero: 50%\ninf or nan: 2"


@pytest.mark.parametrize("values", [[], [0.0, 0.0], [math.nan]])
def test_nothing_that_has_a_place_leaves_the_formats(values):
    ax = plot_number_line([FP16], {"g": values}, caption=CAPTION)
    assert len(ax.patches) == 2 and overlapping_texts(ax) == []


def test_several_histograms_stand_below_each_other_and_look_different():
    before = gradients()
    ax = plot_number_line([FP16], {"before": before, "after": before * 2**10}, caption=CAPTION)
    assert rows(ax) == ["before", "after", "fp16"]
    looks = {(patch.get_facecolor(), patch.get_hatch()) for patch in ax.patches[:-2]}
    assert len(looks) == 2 and len({hatch for _, hatch in looks}) == 2
    tallest = {}
    for patch in ax.patches[:-2]:
        key = patch.get_facecolor()
        tallest[key] = max(tallest.get(key, (0, 0)), (patch.get_height(), patch.get_x()))
    (_, first), (_, second) = tallest.values()
    assert second - first == 10


def test_tensors_are_values():
    ax = plot_number_line([FP16], torch.tensor([[1.0, 2.0], [4.0, 4.0]]), caption=CAPTION)
    assert [x for x, _ in columns(ax, 3)] == [0, 1, 2]


def test_the_limits_of_a_format_run_through_the_histograms():
    ax = plot_number_line(ALL, gradients(), caption=CAPTION, through="fp16", exponents=(-40, 20))
    drawn = [line.get_xdata()[0] for line in ax.lines if line.get_color() == style.RED]
    assert drawn == [-24, -14, pytest.approx(math.log2(65504))]
    shaded = [shade.get_facecolor()[0] for shade in ax.collections]
    assert [tuple(color) for color in shaded] == [to_rgba(style.RED, 0.1)] * 2
    assert "below fp16" in texts(ax)


def test_limits_beyond_the_axis_are_left_out():
    ax = plot_number_line([BF16], gradients(), caption=CAPTION, through="bf16", exponents=(-40, 20))
    assert [line for line in ax.lines if line.get_color() == style.RED] == []
    assert len(ax.collections) == 0


def test_a_format_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"no format is called 'fp32'.*fp16"):
        plot_number_line(ALL, gradients(), caption=CAPTION, through="fp32")


@pytest.mark.parametrize("through", ["", "fp16"])
@pytest.mark.parametrize("exponents", [None, (-40, 20), (-16, -2), (0, 1)])
@pytest.mark.parametrize("sets", [0, 1, 3])
def test_it_can_be_read(sets, exponents, through):
    values = {f"gradients {i}": gradients(i) * 4.0**i for i in range(sets)}
    ax = plot_number_line(ALL, values, caption=CAPTION, exponents=exponents, through=through)
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8


def test_ranges_are_written_where_there_is_room():
    ax = plot_number_line(ALL, gradients(), caption=CAPTION)
    assert {
        "2⁻¹⁴ to 65,504, 10 bits of mantissa",
        "2⁻¹²⁶ to 3.4 × 10³⁸, 7 bits of mantissa",
        "2⁻⁶ to 448, 3 bits of mantissa",
    } <= set(texts(ax))


@pytest.mark.parametrize(
    "ends", [(0, 1, 2), (2, 1, 4), (1, 2, 2), (1, 2, math.inf), (math.nan, 1, 2)]
)
def test_a_range_that_does_not_rise_is_refused(ends):
    with pytest.raises(ValueError, match="'odd' must have 0 < smallest_subnormal"):
        FormatRange("odd", *ends, 3)


def test_the_caption_is_written():
    ax = plot_number_line(ALL, gradients(), caption=CAPTION)
    assert ax.get_title(loc="left") == "numbers" and ax.get_xlabel() == "magnitude"
    assert style.alt_text(ax) == "a number line" and ax.figure.get_supxlabel() == "measured"


def test_it_draws_into_the_axes_it_is_given():
    ax = style.new_axes()
    assert plot_number_line(ALL, gradients(), caption=CAPTION, ax=ax) is ax
