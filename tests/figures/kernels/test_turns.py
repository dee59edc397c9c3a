"""Atomics by address: a cell for each lane, the rest told in words."""

import numpy as np
from matplotlib.colors import to_rgba

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.turns import TurnsPanel, plot_turns
from gpuedu.lens.turns import atomic_turns
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside
from tests.trace import samples
from tests.trace.building import Builder

CAPTION = Caption(title="lanes wait", alt="who waits", source="counted")


def draw(*traces):
    panels = [TurnsPanel("a warp", atomic_turns(trace, "bins")[0]) for trace in traces]
    return plot_turns(panels, caption=CAPTION)


def count(ax, color):
    return sum(patch.get_facecolor() == to_rgba(color) for patch in ax.patches)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def crowd(*lanes):
    """A warp whose first lanes meet on address 0, the next on 1, and so on."""
    made = Builder("def kernel(bins):\n    atomic")
    element = np.repeat(np.arange(len(lanes)), lanes)
    element = np.append(element, np.full(32 - element.size, -1))[None, :]
    made.access(2, "bins[i]", element, operation="atomic", dtype="int32", shape=(64,))
    return made.build()


def test_one_lane_is_served_first_and_the_others_wait():
    ax = draw(samples.histogram(4))
    assert count(ax, style.BLUE) == 4
    assert count(ax, style.ORANGE) == 28
    assert {"bins[0]", "bins[3]", "31"} <= set(texts(ax))


def test_what_is_not_drawn_is_told():
    assert "and 28 more addresses, one lane each" in texts(draw(samples.histogram(32)))
    assert "and 3 more addresses, at most 2 lanes each" in texts(draw(crowd(9, 8, 5, 3, 2, 2, 1)))


def test_a_last_address_is_drawn_and_not_told():
    ax = draw(crowd(9, 8, 5, 3, 2))
    assert count(ax, style.BLUE) == 5
    assert not any("more addresses" in text for text in texts(ax))


def test_it_can_be_read_at_its_fullest():
    ax = draw(crowd(32), samples.histogram(32), crowd(9, 8, 5, 3, 2, 2, 1))
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8.5
    assert style.alt_text(ax) == "who waits"
