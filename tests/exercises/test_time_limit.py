"""The time limit of a browser tab, which has neither signals nor threads: the clock is looked at."""

from __future__ import annotations

import itertools
import sys

import pytest

from gpuedu.exercises import time_limit as module
from gpuedu.exercises.guard import play_guarded

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 12), reason="sys.monitoring came with Python 3.12, as every tab has"
)


@pytest.fixture(autouse=True)
def _as_in_a_tab(monkeypatch):
    monkeypatch.setattr(module, "IN_TAB", True)


def loop():
    while True:
        pass


def loop_deaf():
    while True:
        try:  # noqa: SIM105
            sum(range(100))
        except:  # noqa: E722
            pass


def for_loop():
    for _ in itertools.count():
        pass


def calls():
    def again(n):
        return n and again(n - 1)

    while again(10) == 0:
        pass


@pytest.mark.parametrize("play", [loop, loop_deaf, for_loop, calls])
def test_what_never_returns_is_ended(play):
    outcome = play_guarded(play, 0.2)
    assert outcome.problem.message == "it did not finish within 0.2 s"
    assert outcome.problem.ends_check


def test_what_returns_is_left_alone_and_nothing_is_watched_behind_it():
    assert play_guarded(lambda: sum(i for i in range(1000)), 5).observed == 499500
    assert sys.monitoring.get_tool(module._TOOL) is None


def test_a_limit_is_met_again_after_one_that_was_missed():
    assert play_guarded(loop, 0.1).problem is not None
    assert play_guarded(lambda: 3, 5).observed == 3
    assert play_guarded(loop, 0.1).problem is not None
