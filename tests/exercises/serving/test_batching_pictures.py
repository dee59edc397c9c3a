"""batching: its pictures of wrong policies, and what they refuse."""

from __future__ import annotations

import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.guard import ToldProblemError
from gpuedu.exercises.serving.batching import picture
from gpuedu.exercises.serving.batching.asking import asking
from gpuedu.exercises.serving.batching.measuring import measured
from gpuedu.figures.style import alt_text
from tests.figures.legibility import assert_fit_to_print


def static(waiting, running, free_tokens):
    return [] if running else [text["id"] for text in waiting[:4]]


def everyone(waiting, running, free_tokens):
    return [text["id"] for text in waiting]


def nobody(waiting, running, free_tokens):
    return []


def small(waiting, running, free_tokens):
    return [text["id"] for text in waiting if text["id"] % 2]


@pytest.mark.parametrize(
    ("admit", "says"),
    [
        (static, "yours: done after 6.41 s"),
        (everyone, "1,500 reserved"),
        (nobody, "yours: no text was started"),
        (small, "and 6 never started"),
    ],
)
def test_any_policy_is_drawn(admit, says):
    ax = picture.draw_batching(static, admit)
    assert says in alt_text(ax)
    assert_fit_to_print(ax)


def test_static_batching_alone_is_drawn():
    assert_fit_to_print(picture.draw_static(static))


def test_under_load_the_metrics_are_the_learners(monkeypatch):
    monkeypatch.setattr(picture, "RATES", (0.5, 2.0))
    ax = picture.draw_load(static, everyone, lambda log: {"ttft_p99": 7000.0})
    assert {tuple(line.get_ydata()) for line in ax.lines} == {(7.0, 7.0)}
    assert_fit_to_print(ax)


def test_under_load_an_overfull_memory_is_told(monkeypatch):
    monkeypatch.setattr(picture, "RATES", (0.5, 4.0))
    ax = picture.draw_load(static, everyone, lambda log: {"ttft_p99": 7000.0})
    assert "yours: memory exceeded" in alt_text(ax)
    assert "static: memory" not in alt_text(ax)
    assert_fit_to_print(ax)


def test_a_single_token_divided_by_its_gaps_is_asked_about():
    log = [{"arrival": 0.0, "tokens": [1.0]}]
    with pytest.raises(ToldProblemError) as told:
        measured(lambda log: 1 / (len(log[0]["tokens"]) - 1), log)
    assert told.value.problem.cause == "Does every text here have a second token?"


def test_under_load_what_cannot_be_drawn_is_told(monkeypatch):
    monkeypatch.setattr(picture, "RATES", (2.0,))
    with pytest.raises(AnswerError, match="`nobody` leaves texts"):
        picture.draw_load(static, nobody, lambda log: {"ttft_p99": 7000.0})
    with pytest.raises(AnswerError, match="no entry `ttft_p99`"):
        picture.draw_load(static, everyone, lambda log: {})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (None, "a list of ids"),
        ([0], "gave 0, and no text with this id waits; these do: 7, 8"),
        ([7, 7], "gave 7 twice"),
        ([True], "should be a number"),
    ],
)
def test_what_is_no_list_of_waiting_ids_is_refused(given, says):
    with pytest.raises(AnswerError, match=says):
        asking(lambda *_: given)([{"id": 7}, {"id": 8}], [], 10)
