"""Pictures of the first half: fit to print, of right answers and of wrong ones."""

from __future__ import annotations

import logging
import math

import pytest

from gpuedu.errors import AnswerError
from gpuedu.figures.by_count import NOTHING
from tests.exercises.feed_the_gpu.test_prefetch_runs import hangs, polls_for_ever
from tests.exercises.parts import pictures_of
from tests.exercises.planted_records import plant, plant_nothing
from tests.exercises.stored import solution_answers
from tests.figures.legibility import (
    assert_fit_to_print,
)

PICTURES = pictures_of("feed-the-gpu")

WORKERS = solution_answers("workers")
PREFETCH = solution_answers("prefetch")["prefetch"]
DRAWN = {
    "feed-the-gpu/idle": (),
    "feed-the-gpu/queue": (),
    "three-utilisations": tuple(solution_answers("three-utilisations").values()),
    "stall-fraction": (solution_answers("stall-fraction")["stall_share"],),
    "prefetch": (PREFETCH,),
    "feed-the-gpu/prefetch-for-real": (PREFETCH,),
    "workers": (WORKERS["batches_per_s"], WORKERS["knee"]),
    "feed-the-gpu/flips": (WORKERS["worker_rng"],),
}
WRONG = (-1, math.nan, 1e300, None)


@pytest.mark.parametrize("name", DRAWN)
def test_every_picture_is_fit_to_print(name, caplog):
    with caplog.at_level(logging.WARNING):
        assert_fit_to_print(PICTURES[name](*DRAWN[name]))
    assert caplog.messages == []


@pytest.mark.parametrize("value", WRONG, ids=repr)
@pytest.mark.parametrize("name", ["three-utilisations", "stall-fraction", "workers"])
def test_wrong_functions_are_drawn(name, value):
    assert_fit_to_print(PICTURES[name](*[lambda *_: value] * len(DRAWN[name])))


def test_the_stall_share_is_the_learners():
    ax = PICTURES["stall-fraction"](lambda loads, computes, depth: 0.1 * depth)
    for line in ax.lines:
        assert list(line.get_ydata()) == pytest.approx([0.1 * depth for depth in range(1, 9)])


def test_without_a_value_the_axes_say_so():
    ax = PICTURES["stall-fraction"](lambda *_: None)
    assert NOTHING in [text.get_text() for text in ax.texts]


@pytest.mark.parametrize(
    ("answer", "said"), [(hangs, "then it hangs"), (polls_for_ever, "forever")]
)
def test_a_prefetcher_that_hangs_is_drawn(answer, said):
    ax = PICTURES["prefetch"](answer)
    assert_fit_to_print(ax)
    assert any(said in text.get_text() for text in ax.texts)


def test_what_hangs_is_not_run_for_real():
    with pytest.raises(AnswerError, match="hangs or leaves a thread"):
        PICTURES["feed-the-gpu/prefetch-for-real"](hangs)


def test_recorded_loading_is_drawn_or_told(monkeypatch, tmp_path):
    plant_nothing(monkeypatch, tmp_path)
    assert "No times of loading with workers" in PICTURES["feed-the-gpu/recorded-loading"]()
    plant(tmp_path, "NVIDIA H200", "data-loading", median=0.5)
    assert_fit_to_print(PICTURES["feed-the-gpu/recorded-loading"]())
