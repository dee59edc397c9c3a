"""Pictures and measurements about learning rates: fit to print, of right answers and wrong ones."""

from __future__ import annotations

import logging
import math

import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.lr_finder import measure as finder_measure
from gpuedu.exercises.batch_and_learning_rate.schedule import measure as schedule_measure
from gpuedu.figures.style import alt_text, to_png
from tests.exercises.parts import pictures_of
from tests.exercises.stored import solution_answers
from tests.figures.legibility import (
    assert_fit_to_print,
)

PICTURES = pictures_of("batch-and-learning-rate")

RIGHT = {**solution_answers("lr-finder"), **solution_answers("schedule")}
DRAWN = {
    "lr-finder": (RIGHT["sweep"], RIGHT["suggest"]),
    "batch-and-learning-rate/shares": (),
    "schedule": (RIGHT["rate_at"],),
    "batch-and-learning-rate/plans": (RIGHT["rate_at"], RIGHT["rescale"]),
    "batch-and-learning-rate/valleys": (RIGHT["rescale"],),
    "batch-and-learning-rate/schedules": (),
}
OF_FUNCTIONS = [name for name, functions in DRAWN.items() if functions]


@pytest.mark.parametrize("name", DRAWN)
def test_every_picture_is_fit_to_print(name, caplog):
    with caplog.at_level(logging.WARNING):
        assert_fit_to_print(PICTURES[name](*DRAWN[name]))
    assert caplog.messages == []


@pytest.mark.parametrize(
    "value",
    [-1, 0, math.nan, math.inf, 1e300, None, (10, 1, math.nan), (0, 0, 1e300), ([], [])],
    ids=repr,
)
@pytest.mark.parametrize("name", OF_FUNCTIONS)
def test_wrong_functions_are_drawn_or_refused(name, value):
    wrong = [lambda *_: value] * len(DRAWN[name])
    try:
        ax = PICTURES[name](*wrong)
    except AnswerError:
        return
    assert len(to_png(ax)) > 10_000


@pytest.mark.parametrize("value", [-1, 0, math.nan, math.inf, 1e300], ids=repr)
def test_a_plan_with_such_rates_is_drawn(value):
    ax = PICTURES["batch-and-learning-rate/plans"](lambda *_: value, RIGHT["rescale"])
    assert len(to_png(ax)) > 10_000


def test_a_sweep_that_stops_at_once_is_drawn_as_short():
    def draft(take_step, low, high, count):
        losses = [take_step(low * (high / low) ** (k / count)) for k in range(3)]
        return [low, 1.03 * low], [0.1 * losses[0], 0.19 * losses[1]]

    ax = PICTURES["lr-finder"](draft)
    assert_fit_to_print(ax)
    assert "batch 32: 3 steps" in alt_text(ax)
    assert ax.get_xlim()[1] > 10


def test_rates_below_0_are_drawn_and_two_equal_shapes_are_one_line():
    def draft(step, steps, warmup, peak, low, shape):
        if step < warmup:
            return peak * step / warmup
        done = (step - warmup) / (steps - warmup)
        return peak * (1 - done) + low * done

    ax = PICTURES["schedule"](draft)
    assert_fit_to_print(ax)
    assert ax.get_ylim()[0] < -0.1 and len(ax.lines) == 2


def test_the_warm_ups_of_both_batches_end_at_the_same_place():
    ax = PICTURES["batch-and-learning-rate/plans"](RIGHT["rate_at"], RIGHT["rescale"])
    assert alt_text(ax).count("at 3,072 samples") == 3


def test_a_sweep_that_never_ends_is_refused():
    def endless(take_step, *_):
        while True:
            take_step(0.1)

    with pytest.raises(AnswerError, match="more than 400 times"):
        PICTURES["lr-finder"](endless)


def test_the_measurement_of_rates_tells_losses_by_share():
    found = finder_measure.measure_rates(RIGHT["find_rate"])
    assert set(found) == {"batch 32", "batch 1,024"}
    for row in found.values():
        assert 0.1 < row["rate"] < 2 and row["loss"] < row["loss at a fifth of it"]
        assert 100 < row["steps of the sweep"] <= 200
    assert [row["of a run"] for row in found.values()] == [8 * 45, 8 * 2]


def test_a_rate_out_of_all_bounds_is_not_trained_with():
    for rate in (math.nan, -1.0, 1e9):
        with pytest.raises(AnswerError, match="for a sweep from"):
            finder_measure.measure_rates(lambda *_, rate=rate: rate)
        with pytest.raises(AnswerError, match="for a peak of"):
            schedule_measure.measure_schedule(lambda *_, rate=rate: rate)


def test_the_measurement_of_schedules_tells_both_losses(monkeypatch):
    monkeypatch.setattr(schedule_measure, "RUNS", ((128, 0.0, 2.0),))
    monkeypatch.setattr(schedule_measure, "_SEEDS", 1)
    (row,) = schedule_measure.measure_schedule(RIGHT["rate_at"]).values()
    assert set(row) == {"constant", "yours"} and all(0 < loss < 7 for loss in row.values())
