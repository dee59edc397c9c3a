import pytest

from gpuedu.figures.caption import Caption
from gpuedu.figures.served import IDLE, READS, WAITS, WRITES, ServedGroup, ServedRow, plot_served
from tests.figures.legibility import assert_fit_to_print

CAPTION = Caption(
    title="The same two texts",
    x="s",
    alt="Rows of bars, one for each text: when it waits, is read, writes, and is idle.",
    source="Simulated",
)
ROWS = (
    ServedRow(0.0, ((WAITS, 0.0), (READS, 1.0), (WRITES, 4.0), (IDLE, 6.0))),
    ServedRow(1.0, ((WAITS, 2.0), (READS, 3.0), (WRITES, 6.0))),
)


def test_parts_follow_one_another_from_the_start_of_their_row():
    ax = plot_served([ServedGroup("both", ROWS)], caption=CAPTION)
    spans = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches]
    assert spans == [(0, 0), (0, 1), (1, 4), (4, 6), (1, 2), (2, 3), (3, 6)]


def test_only_what_is_drawn_has_a_key():
    ax = plot_served([ServedGroup("second", ROWS[1:])], caption=CAPTION)
    assert [one.get_text() for one in ax.get_legend().get_texts()] == [WAITS, READS, WRITES]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_groups_are_readable_below_each_other(count):
    groups = [ServedGroup(f"group {at}: done after 6 s", ROWS) for at in range(count)]
    assert_fit_to_print(plot_served(groups, caption=CAPTION))
