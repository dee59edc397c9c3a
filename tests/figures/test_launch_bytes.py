import pytest

from gpuedu.figures.caption import Caption
from gpuedu.figures.launch_bytes import Program, plot_launch_bytes
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption(title="bytes", alt="bars", source="counted", x="MB")
CHAIN = Program("chain", (("power", 8_000_000), ("add", 12_000_000), ("x", 100)))
ONE = Program("fused", (("gelu", 8_000_000),))


def test_pieces_follow_each_other_from_zero():
    ax = plot_launch_bytes([CHAIN, ONE], caption=CAPTION)
    pieces = {(round(p.get_x(), 6), round(p.get_width(), 6), p.get_y() > 0.5) for p in ax.patches}
    assert pieces == {(0, 8, True), (8, 12, True), (20, 0.0001, True), (0, 8, False)}
    assert [label.get_text() for label in ax.get_yticklabels()] == ["fused", "chain"]


def test_the_grid_does_not_cross_what_is_said_of_a_program():
    ax = plot_launch_bytes([CHAIN, ONE], caption=CAPTION)
    said = [text for text in ax.texts if "launch" in text.get_text()]
    assert len(said) == 2 and all(text.get_bbox_patch() is not None for text in said)


def test_wide_pieces_are_named_and_all_is_summed():
    texts = [text.get_text() for text in plot_launch_bytes([CHAIN, ONE], caption=CAPTION).texts]
    assert {"power", "add", "gelu"} <= set(texts) and "x" not in texts
    assert {"20 MB in 3 launches", "8 MB in 1 launch"} <= set(texts)


@pytest.mark.parametrize(
    "programs",
    [[], [Program("none", ())], [CHAIN, ONE], [Program("many", (("multiply", 10**6),) * 40)]],
)
def test_any_programs_are_readable(programs):
    ax = plot_launch_bytes(programs, caption=CAPTION)
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8
