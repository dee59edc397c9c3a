"""The second slow program: its task, and what it wastes."""

from __future__ import annotations

import itertools
import json

import pytest

from gpuedu.exercises.capstone.counting_rows import LENGTH, counting_files
from gpuedu.exercises.capstone.digit_rows import NAMES
from gpuedu.exercises.capstone.make_it_fast import needs_alone
from gpuedu.exercises.capstone.make_it_fast.counting import count_to_infinity
from gpuedu.exercises.capstone.make_it_fast_too.costs import slow_costs
from gpuedu.exercises.capstone.make_it_fast_too.counting import LETTERS, SIZES
from gpuedu.exercises.capstone.make_it_fast_too.limits import LIMITS, needs_of
from gpuedu.exercises.capstone.make_it_fast_too.slow_run import slow_writing
from gpuedu.exercises.capstone.programs import given_program
from gpuedu.exercises.patience import patience_for
from gpuedu.exercises.registry import load_picture, load_play


@pytest.mark.parametrize("limit", LIMITS, ids=lambda one: one.name)
def test_the_second_slow_program_passes_each_limit(limit):
    assert slow_costs()[limit.figure] > 1.05 * limit.most(needs_of())


@pytest.mark.parametrize(
    ("exercise", "costs"),
    [("make-it-fast", needs_alone.slow_costs), ("make-it-fast-too", slow_costs)],
)
def test_a_slow_program_is_counted_outside_of_the_limit_of_the_learners_picture(exercise, costs):
    patience = patience_for(load_picture(exercise))
    assert patience.first is costs
    assert patience.limit_s == load_play(exercise).time_limit_s


@pytest.mark.parametrize("seed", [1, 2])
def test_a_rate_that_is_far_too_high_stops_the_slow_program(seed):
    found = count_to_infinity(given_program("make_it_fast", "reader"), seed, 1e30)
    assert found["stopped"] == "RuntimeError"
    assert len(found["history"]["accuracy"]) == 1


def test_what_is_written_goes_on_from_the_prompts():
    prompts = json.loads(counting_files(3, **SIZES)["prompts.json"])
    for prompt, (text, lead) in zip(prompts, slow_writing(3), strict=True):
        assert text.startswith(prompt)
        assert (len(text), lead >= 0) == (len(prompt) + LETTERS, True)


def test_rows_count_up_by_one_step_each():
    files = counting_files(5, rows=20, prompts=2, prompt=16)
    for text in json.loads(files["rows.json"]):
        assert len(text) == LENGTH
        digits = [NAMES.index(word) for word in text.split()[:-1]]
        steps = {(later - one) % 10 for one, later in itertools.pairwise(digits)}
        assert len(steps) == 1
        assert 0 not in steps
    assert files != counting_files(6, rows=20, prompts=2, prompt=16)
