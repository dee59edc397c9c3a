import pytest

from gpuedu.clock import AsyncDevice
from gpuedu.figures.caption import Caption
from gpuedu.figures.queues import plot_queues
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption(title="who waits", alt="timelines", source="simulated", x="time (ms)")


def events(*, wait_each: bool):
    device = AsyncDevice([2e-3], launch_s=1e-3)
    for _ in range(2):
        device.launch()
        if wait_each:
            device.sync()
    device.now()
    return device.events


def bars(ax):
    return [(round(p.get_x(), 6), round(p.get_width(), 6)) for p in ax.patches]


def test_bars_lie_at_their_times_in_milliseconds():
    ax = plot_queues([("waits", events(wait_each=True))], caption=CAPTION)
    assert bars(ax) == [(0, 1), (1, 2), (1, 2), (3, 1), (4, 2), (4, 2)]


def test_each_program_has_rows_of_its_own_on_one_axis():
    ax = plot_queues(
        [("a", events(wait_each=True)), ("b", events(wait_each=False))], caption=CAPTION
    )
    assert [label.get_text() for label in ax.get_yticklabels()] == ["host", "device"] * 2
    places = ax.get_yticks()
    assert list(places) == sorted(places, reverse=True)
    assert ax.get_xlim() == (0, pytest.approx(6))
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8
