import pytest

from gpuedu.figures.block_rows import BlockRow, HeldBlock, plot_block_rows
from gpuedu.figures.caption import Caption
from tests.figures.legibility import assert_fit_to_print

CAPTION = Caption(
    title="A memory of 8 blocks for 4 tokens each",
    alt="A row of blocks for each moment, of which some are held by one text and some by two.",
    source="Simulated",
)
ROW = BlockRow("B forks from A", "2 blocks", {1: HeldBlock(("A", "B"), 4), 3: HeldBlock(("A",), 2)})


def test_a_block_has_a_cell_for_each_token_that_is_there():
    ax = plot_block_rows([ROW], 8, 4, caption=CAPTION)
    cells = [one for one in ax.patches if one.get_width() == 0.25]
    assert [one.get_x() for one in cells] == [1.25, 1.5, 1.75, 2.0, 3.75, 4.0]
    assert [bool(one.get_hatch()) for one in cells] == [True] * 4 + [False] * 2


def test_blocks_are_numbered_and_say_who_holds_them():
    texts = [one.get_text() for one in plot_block_rows([ROW], 8, 4, caption=CAPTION).texts]
    assert texts[:2] == ["B forks from A", "2 blocks"]
    assert {"0", "7", "A B", "A"} <= set(texts)


@pytest.mark.parametrize("rows", [[ROW], [ROW] * 4, [BlockRow("nothing", "0 blocks", {})]])
def test_any_number_of_moments_is_readable(rows):
    assert_fit_to_print(plot_block_rows(rows, 8, 4, caption=CAPTION))


def test_many_holders_are_counted():
    held = {0: HeldBlock(tuple("ABCDEF"), 4)}
    ax = plot_block_rows([BlockRow("six", "", held)], 4, 4, caption=CAPTION)
    assert "6 texts" in [one.get_text() for one in ax.texts]
    assert_fit_to_print(ax)
