"""Lives of an elastic training as lanes: bars, ranks, and what is not to scale."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from gpuedu.figures.caption import Caption
from gpuedu.figures.lives import DrawnLife, plot_lives
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption("Lives", "two lives", "made up", "time")
LIVES = (
    DrawnLife(("a", "b"), 0.0, 8.0, saves=(6.0,), died=("b",)),
    DrawnLife(("c", "a"), 30.0, 30.5, joined=("c",)),
)


@pytest.fixture
def ax():
    yield plot_lives(LIVES, caption=CAPTION, rows=["a", "b", "c"])
    plt.close("all")


def bars(ax) -> list[tuple[float, float, bool]]:
    return [
        (round(one.get_x(), 3), round(one.get_width(), 3), bool(one.get_hatch()))
        for one in ax.patches
    ]


def test_what_is_in_no_checkpoint_is_striped(ax):
    first = bars(ax)[:2]
    assert [hatched for *_, hatched in first] == [False, True]
    assert first[0][1] == pytest.approx(3 * first[1][1], abs=0.01)


def test_a_life_without_a_checkpoint_is_striped_as_a_whole(ax):
    last = [width for left, width, hatched in bars(ax) if left > 0.95 and hatched]
    assert last == [0.16, 0.16]


def test_ranks_workers_and_times_are_written(ax):
    texts = [one.get_text() for one in ax.texts]
    assert sorted(one for one in texts if one.startswith("rank")) == ["rank 0"] * 2 + ["rank 1"] * 2
    assert {"2 workers\n8.0 s", "2 workers\n0.5 s", "22.0 s"} <= set(texts)


def test_keys_name_what_is_there(ax):
    keys = [one.get_text() for one in ax.get_legend().get_texts()]
    assert keys == ["kept", "in no checkpoint", "checkpoint", "killed", "joins"]
    quiet = plot_lives(LIVES[:1], caption=CAPTION, rows=["a", "b"])
    assert "joins" not in [one.get_text() for one in quiet.get_legend().get_texts()]


def test_it_can_be_read(ax):
    assert not overlapping_texts(ax)
    assert not texts_outside(ax)
    assert smallest_text_pt(ax) >= 8.5
