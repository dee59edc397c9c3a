"""The search for batch and rate: every hidden surface is fair, what is undecided, and its picture."""

from __future__ import annotations

import logging
import math
from itertools import product

import numpy as np
import pytest

from gpuedu.course.proof import Bench
from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy import judge
from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy.picture import SHOWN
from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy.response_surface import (
    WITHIN,
    Surface,
)
from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy.searching import Grid, try_search
from gpuedu.exercises.contract import Undecided
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from gpuedu.experiments import read_results
from gpuedu.figures.style import alt_text
from tests.exercises.batch_and_learning_rate.test_batch_pictures import assert_fit_to_print
from tests.exercises.parts import pictures_of
from tests.exercises.reports import lost, told
from tests.exercises.stored import ROOT, stored_answers

PICTURES = pictures_of("batch-and-learning-rate")

RIGHT = {
    name: stored_answers("time-to-accuracy", "right", name)["search"]
    for name in Bench(ROOT, "time-to-accuracy").right_texts()
}
EVERYTHING = stored_answers("time-to-accuracy", "wrong", "the_whole_grid")["search"]
KINDS = [(prop, *kind) for prop, kinds in judge.SURFACES.items() for kind in kinds]


def windows(setting, knee):
    """All cuts of the rates that a check may draw."""
    for first, last in product(range(3), repeat=2):
        yield Surface(setting, knee, first=first, count=12 - first - last).grid


def hand_in(search, seed=0):
    return examine(load("time-to-accuracy"), [search], seed)


@pytest.mark.parametrize(("prop", "setting", "knee"), KINDS)
def test_each_kind_of_search_is_near_on_every_surface_that_can_be_drawn(prop, setting, knee):
    for surface in windows(setting, knee):
        best = surface.seconds(surface.best)
        for name, search in RIGHT.items():
            tries = try_search(search, surface, judge.BUDGET)
            assert surface.seconds(tries.chosen) <= WITHIN * best, name


def test_small_batches_win_where_the_check_says_so_and_large_ones_elsewhere():
    best = {prop: [] for prop in judge.SURFACES}
    for prop, setting, knee in KINDS:
        best[prop] += [surface.best[0] for surface in windows(setting, knee)]
    assert max(best["small"]) <= 32 <= min(best["middle"]) and min(best["large"]) >= 256


def test_the_rates_drawn_always_hold_the_best_and_are_stretched():
    whole = {f"{kind}, {prop} batches": Surface(kind, knee).grid for prop, kind, knee in KINDS}
    for seed in range(20):
        for case in judge.cases(np.random.default_rng(seed)):
            if len(case.inputs["searches"]) > 1:
                continue
            grid = Grid.of(case.inputs["searches"][0])
            assert len(set(grid.rates)) == len(grid.rates) == grid.times_s.shape[1]
            if case.label.startswith("two rates that are too high"):
                assert grid.seconds(grid.best) == math.inf
            elif case.label in whole:
                assert grid.best[0] == whole[case.label].best[0]
                assert math.isfinite(grid.seconds(grid.best))


def test_seconds_are_counted_steps_times_the_modeled_step():
    surface = Surface("momentum", 64, least_s=1e-3, first=2, count=8, stretch=3.0).grid
    values = read_results("steps-to-accuracy").values
    steps = values["settings"]["momentum"]["steps"][3][2 + 4]
    point = (64, surface.rates[4])
    assert surface.rates[4] == pytest.approx(
        3 * values["settings"]["momentum"]["rates"][6], rel=1e-2
    )
    assert surface.seconds(point) == pytest.approx(steps * max(1e-3, 1e-4 + 64 * 1e-3 / 64))
    assert surface.seconds((8, surface.rates[-1])) == math.inf


def test_no_argument_of_the_search_holds_the_surface():
    surface = Surface("adam", 64).grid
    seen = []

    def spy(run, batches, rates, budget):
        batches.clear()  # what it is given is its own
        seen.append([type(cell.cell_contents) for cell in run.__closure__])
        return 8, rates[0]

    try_search(spy, surface, 5)
    assert not {dict, np.ndarray} & set(seen[0]) and surface.batches[0] == 8


def test_off_the_grid_or_without_an_end_it_is_refused():
    surface = Surface("adam", 64).grid
    with pytest.raises(AnswerError, match="12 is none of the `batches`"):
        try_search(lambda run, b, r, n: run(12, r[0]), surface, 20)
    with pytest.raises(AnswerError, match="none of the `rates`"):
        try_search(lambda run, b, r, n: run(8, 5), surface, 20)
    with pytest.raises(AnswerError, match="a batch and a rate, got None"):
        try_search(lambda *_: None, surface, 20)
    with pytest.raises(AnswerError, match="a batch and a rate, got a tuple of 3"):
        try_search(lambda *_: (8, 0.1, 2.0), surface, 20)


def test_a_run_beyond_the_budget_is_refused_and_ends_the_search():
    surface = Surface("adam", 64).grid
    tries = try_search(lambda run, b, r, n: [run(b[0], r[0]) for _ in range(10**4)], surface, 20)
    assert (len(tries.points), tries.asked, tries.chosen) == (20, 21, None)


def test_of_an_ended_search_and_of_a_pair_that_never_ran_nothing_is_decided():
    def guess(run, batches, rates, budget):
        run(np.int64(batches[4]), np.float64(rates[0]))  # as other libraries have them
        return batches[4], rates[-1]

    report = hand_in(guess)
    assert lost(report) == {"budget", "once", "best", *judge.SURFACES}
    assert "1 run, and it returned batch 128" in told(report, "large")
    ended = hand_in(EVERYTHING)
    assert lost(ended) == {"budget", "once", "best", *judge.SURFACES}
    assert "was refused" in told(ended, "large")
    for result in (*report.results, *ended.results):
        if result.property.name in judge.SURFACES:
            assert isinstance(result.fault, Undecided)


def test_the_prediction_is_what_the_shown_surfaces_say():
    few, many = (surface.best for surface in SHOWN.values())
    assert (few[0], many[0]) == (16, 256)
    assert judge.JUDGE.predictions["time-to-accuracy"].truth == many[1] / few[1]
    few_rates, whole = SHOWN["Knee near 512"].rates, SHOWN["Knee near 512"]
    assert 16 * few[1] in few_rates and math.isinf(whole.seconds((256, 16 * few[1])))


# The picture


@pytest.mark.parametrize("name", RIGHT)
def test_the_picture_is_fit_to_print(name, caplog):
    with caplog.at_level(logging.WARNING):
        ax = PICTURES["time-to-accuracy"](RIGHT[name])
        assert_fit_to_print(ax)
    assert caplog.messages == []
    assert alt_text(ax).count("1.00x the best; the best is batch") == 2


def test_the_draft_misses_on_one_of_the_shown_devices_only():
    draft = stored_answers("time-to-accuracy", "wrong", "one_after_the_other")["search"]
    ratios = []
    for surface in SHOWN.values():
        tries = try_search(draft, surface, 20)
        assert len(tries.points) == 19
        ratios.append(surface.seconds(tries.chosen) / surface.seconds(surface.best))
    assert ratios[0] > 1.9 and ratios[1] == 1.0
    assert_fit_to_print(PICTURES["time-to-accuracy"](draft))


def test_a_search_that_runs_over_is_drawn_and_one_that_fails_is_refused():
    assert_fit_to_print(PICTURES["time-to-accuracy"](EVERYTHING))
    with pytest.raises(AnswerError):
        PICTURES["time-to-accuracy"](lambda *_: 3)
