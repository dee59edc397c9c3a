"""The search for batch and rate: every hidden surface is fair, slips are told, and its picture."""

from __future__ import annotations

import ast
import logging
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from gpuedu.course.proof import Bench
from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy import judge
from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy.picture import SHOWN
from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy.response_surface import (
    WITHIN,
    Surface,
    try_search,
)
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from gpuedu.experiments import read_results
from gpuedu.figures.style import alt_text
from tests.exercises.batch_and_learning_rate.batch_answers import fault, lost
from tests.exercises.batch_and_learning_rate.test_batch_pictures import assert_fit_to_print
from tests.exercises.parts import pictures_of

PICTURES = pictures_of("batch-and-learning-rate")

BENCH = Bench(Path(__file__).parents[3], "time-to-accuracy")
RIGHT = sorted((BENCH.folder / "judge" / "right").glob("*.py"))
KINDS = [(prop, *kind) for prop, kinds in judge.SURFACES.items() for kind in kinds]


def search_of(path):
    space = {}
    exec(compile(ast.parse(path.read_text("utf-8")), str(path), "exec"), space)
    return space["search"]


def windows(setting, knee):
    """All cuts of the rates that a check may draw."""
    for first, last in product(range(3), repeat=2):
        yield Surface(setting, knee, first=first, count=12 - first - last)


def hand_in(search, seed=0):
    return examine(load("time-to-accuracy"), [search], seed)


@pytest.mark.parametrize(("prop", "setting", "knee"), KINDS)
def test_each_kind_of_search_is_near_on_every_surface_that_can_be_drawn(prop, setting, knee):
    for surface in windows(setting, knee):
        best = surface.seconds(surface.best)
        for path in RIGHT:
            tries = try_search(search_of(path), surface, judge.BUDGET)
            assert surface.seconds(tries.chosen) <= WITHIN * best, path.stem


def test_small_batches_win_where_the_check_says_so_and_large_ones_elsewhere():
    best = {prop: [] for prop in judge.SURFACES}
    for prop, setting, knee in KINDS:
        best[prop] += [surface.best[0] for surface in windows(setting, knee)]
    assert max(best["small"]) <= 32 <= min(best["middle"]) and min(best["large"]) >= 256


def test_the_rates_drawn_always_hold_the_best_and_are_stretched():
    for seed in range(20):
        for case in judge.cases(np.random.default_rng(seed)):
            surface = Surface(**case.inputs["surface"])
            whole = Surface(surface.setting, surface.knee, surface.least_s)
            assert surface.seconds(surface.best) == pytest.approx(whole.seconds(whole.best))
            assert len(set(surface.rates)) == surface.count


def test_seconds_are_counted_steps_times_the_modelled_step():
    surface = Surface("momentum", 64, least_s=1e-3, first=2, count=8, stretch=3.0)
    values = read_results("steps-to-accuracy").values
    steps = values["settings"]["momentum"]["steps"][3][2 + 4]
    point = (64, surface.rates[4])
    assert surface.rates[4] == pytest.approx(
        3 * values["settings"]["momentum"]["rates"][6], rel=1e-2
    )
    assert surface.seconds(point) == pytest.approx(steps * max(1e-3, 1e-4 + 64 * 1e-3 / 64))
    assert surface.seconds((8, surface.rates[-1])) == math.inf


def test_no_argument_of_the_search_holds_the_surface():
    surface = Surface("adam", 64)
    seen = []

    def spy(run, batches, rates, budget):
        batches.clear()  # what it is given is its own
        seen.append([type(cell.cell_contents) for cell in run.__closure__])
        return 8, rates[0]

    try_search(spy, surface, 5)
    assert dict not in seen[0] and surface.batches[0] == 8


def test_off_the_grid_or_without_an_end_it_is_refused():
    surface = Surface("adam", 64)
    with pytest.raises(AnswerError, match="12 is none of the `batches`"):
        try_search(lambda run, b, r, n: run(12, r[0]), surface, 20)
    with pytest.raises(AnswerError, match="none of the `rates`"):
        try_search(lambda run, b, r, n: run(8, 5), surface, 20)
    with pytest.raises(AnswerError, match="a batch and a rate, got None"):
        try_search(lambda *_: None, surface, 20)
    with pytest.raises(AnswerError, match="a batch and a rate, got a tuple of 3"):
        try_search(lambda *_: (8, 0.1, 2.0), surface, 20)


def test_a_run_beyond_the_budget_is_refused_and_ends_the_search():
    surface = Surface("adam", 64)
    tries = try_search(lambda run, b, r, n: [run(b[0], r[0]) for _ in range(10**4)], surface, 20)
    assert (len(tries.points), tries.asked, tries.chosen) == (20, 21, None)


def test_the_whole_grid_is_no_answer():
    def everything(run, batches, rates, budget):
        return min(product(batches, rates), key=lambda point: run(*point))

    report = hand_in(everything)
    assert lost(report) == ["budget", "small", "middle", "large"]
    assert "it asked for run 21, and the budget is 20" in fault(report, "budget")
    assert "was refused" in fault(report, "large")


def test_rates_may_be_numbers_of_other_libraries():
    def by_numpy(run, batches, rates, budget):
        point = np.int64(batches[0]), np.float64(rates[0])
        run(*point)
        return point

    assert lost(hand_in(by_numpy)) == ["small", "middle", "large"]


def test_a_search_that_stays_with_one_batch_is_told_so():
    def usual(run, batches, rates, budget):
        return min(((64, rate) for rate in rates[:budget]), key=lambda point: run(*point))

    report = hand_in(usual)
    assert lost(report) == ["small", "middle", "large"]
    assert "All runs had the same batch" in fault(report, "large")


def test_a_choice_that_never_gets_there_and_one_that_was_never_run_are_told():
    def highest(run, batches, rates, budget):
        run(batches[0], rates[-1])
        return batches[0], rates[-1]

    report = hand_in(highest)
    assert "it never gets there; the best takes" in fault(report, "small")
    assert "None of the runs got there" in fault(report, "small")
    assert "1 run, and it chose" in fault(report, "small")


def test_a_pair_that_was_never_run_earns_nothing_however_good_it_is():
    def guess(run, batches, rates, budget):
        run(batches[4], rates[0])
        return batches[4], rates[5]

    report = hand_in(guess)
    assert lost(report) == ["best", "small", "middle", "large"]
    assert "and never ran it" in fault(report, "best")
    assert "1 run, and it returned batch 128" in fault(report, "large")
    assert "of which no time is known" in fault(report, "large")


def test_a_search_that_stops_early_is_asked_for_the_places_around():
    def three(run, batches, rates, budget):
        points = [(batches[row], rates[2]) for row in (0, 3, 6)]
        return min(points, key=lambda point: run(*point))

    assert "17 of 20 runs were left" in fault(hand_in(three), "middle")


def test_the_prediction_is_what_the_shown_surfaces_say():
    few, many = (surface.best for surface in SHOWN.values())
    assert (few[0], many[0]) == (16, 256)
    assert judge.JUDGE.predictions["time-to-accuracy"].truth == many[1] / few[1]
    few_rates, whole = SHOWN["Knee near 512"].rates, SHOWN["Knee near 512"]
    assert 16 * few[1] in few_rates and math.isinf(whole.seconds((256, 16 * few[1])))


def test_runs_beyond_the_budget_and_twice_are_told():
    def twice(run, batches, rates, budget):
        for _ in range(budget + 1):
            run(batches[0], rates[0])
        return batches[0], rates[0]

    report = hand_in(twice)
    assert "it asked for run 21, and the budget is 20" in fault(report, "budget")
    assert "run 2, batch 8 with rate" in fault(report, "once")


# The picture


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_the_picture_is_fit_to_print(path, caplog):
    with caplog.at_level(logging.WARNING):
        ax = PICTURES["time-to-accuracy"](search_of(path))
        assert_fit_to_print(ax)
    assert caplog.messages == []
    assert alt_text(ax).count("1.00x the best; the best is batch") == 2


def test_the_draft_misses_on_one_of_the_shown_devices_only():
    def one_after_the_other(run, batches, rates, budget):
        middle = batches[len(batches) // 2]
        times = {(middle, rate): run(middle, rate) for rate in rates}
        rate = min(times, key=times.get)[1]
        times |= {(batch, rate): run(batch, rate) for batch in batches if batch != middle}
        return min(times, key=times.get)

    ratios = []
    for surface in SHOWN.values():
        tries = try_search(one_after_the_other, surface, 20)
        assert len(tries.points) == 19
        ratios.append(surface.seconds(tries.chosen) / surface.seconds(surface.best))
    assert ratios[0] > 1.9 and ratios[1] == 1.0
    assert_fit_to_print(PICTURES["time-to-accuracy"](one_after_the_other))


def test_a_search_that_runs_over_is_drawn_and_one_that_fails_is_refused():
    def everything(run, batches, rates, budget):
        return min(product(batches, rates), key=lambda point: run(*point))

    assert_fit_to_print(PICTURES["time-to-accuracy"](everything))
    with pytest.raises(AnswerError):
        PICTURES["time-to-accuracy"](lambda *_: 3)
