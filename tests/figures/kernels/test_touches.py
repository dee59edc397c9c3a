"""Threads by elements: who reads and who writes, and the thick frame where two meet."""

from __future__ import annotations

import pytest
from matplotlib.colors import to_rgba

from gpuedu.figures import style
from gpuedu.figures.kernels.touches import plot_touches, touch
from gpuedu.lens.epochs import Epoch
from gpuedu.lens.rows import Occupant
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

THREADS = range(30, 35)


def who(thread: int) -> Occupant:
    return Occupant(*divmod(thread, 32))


def epoch(number: int = 1, written: dict | None = None, read: dict | None = None) -> Epoch:
    """Elements to the threads that write and read them."""
    lanes = [
        {element: tuple(map(who, threads)) for element, threads in (given or {}).items()}
        for given in (written, read)
    ]
    return Epoch("s", (128,), 0, number, (number,), *lanes)


def framed(ax) -> int:
    return sum(patch.get_edgecolor() == to_rgba(style.RED) for patch in ax.patches)


def test_what_a_thread_does_is_told_apart():
    met = epoch(written={32: [32]}, read={32: [31, 32], 33: [34]})
    assert [touch(met, thread, 32) for thread in THREADS] == ["", "r", "r w", "", ""]
    assert touch(met, 34, 33) == "r"
    assert touch(met, 2, 33) == ""


def test_a_frame_is_on_what_two_threads_touch_and_one_writes():
    met = epoch(written={32: [32], 33: [33]}, read={32: [31], 33: [33], 34: [33, 34]})
    ax = plot_touches([met], THREADS, title="s")
    assert framed(ax) == 2  # thread 32 writes s[32], thread 31 reads it


def test_a_barrier_between_takes_the_frame_away():
    parts = [epoch(1, read={32: [31, 32]}), epoch(2, written={32: [32]})]
    ax = plot_touches(parts, THREADS, title="s")
    assert framed(ax) == 0
    names = [text.get_text() for text in ax.texts]
    assert names.count("s[30]") == names.count("s[34]") == 2
    assert {"after barrier 1", "after barrier 2"} <= set(names)


@pytest.mark.parametrize("panels", [1, 2])
def test_it_can_be_read(panels):
    everybody = {element: list(THREADS) for element in THREADS}
    parts = [epoch(n, everybody, everybody) for n in range(panels)]
    ax = plot_touches(parts, THREADS, title="s between two barriers")
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8.5
    assert "5 of them touched by another thread" in style.alt_text(ax)
    assert "Before the first barrier" in style.alt_text(ax)
