"""A card asks what a known wrong answer asks that gave the same, and names no other cause."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.exercises.card import report_card, to_text
from gpuedu.exercises.contract import Case, Fault, Judge, Property, Undecided
from gpuedu.exercises.examine import examine
from gpuedu.exercises.mistakes import KnownMistake, known_mistakes, mistakes_text, read_mistakes
from gpuedu.exercises.observations import observation_of
from gpuedu.exercises.registry import load

BLOCKS = "gpuedu.exercises.first_kernels.blocks"


@cuda.jit
def own_element_only(a, x, y, out):
    """The wrong answer ``thread_index_only``, written otherwise."""
    mine = cuda.threadIdx.x
    if mine >= x.size:
        return
    out[mine] = y[mine] + x[mine] * a


@cuda.jit
def every_third(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size and i % 3:
        out[i] = a * x[i] + y[i]


def asked(report, name):
    (fault,) = (one.fault for one in report.results if one.property.name == name)
    return fault.cause


@pytest.mark.parametrize("seed", [0, 5])
def test_a_known_mistake_is_recognized_however_it_is_written_and_on_every_seed(seed):
    mistake = known_mistakes(BLOCKS)["thread_index_only"]
    report = examine(load("blocks"), [own_element_only], seed)
    assert [*mistake.loses] == ["every-block"]  # what it is stored for; it loses "once", too
    assert asked(report, "every-block") == mistake.asks != asked(report, "once")


@pytest.mark.parametrize("seed", [0, 5])
def test_what_nobody_stored_gets_the_question_of_the_property(seed):
    exercise = load("blocks")
    (prop,) = (one for one in exercise.judge.properties if one.name == "every-block")
    asks = asked(examine(exercise, [every_third], seed), "every-block")
    assert asks == prop.asks
    assert asks not in {one.asks for one in known_mistakes(BLOCKS).values()}


def test_in_a_variant_nothing_is_recognized():
    """Its cases have other numbers: the same result may come from another mistake."""
    exercise = replace(load("blocks"), is_variant=True)
    mistake = known_mistakes(BLOCKS)["thread_index_only"]
    assert asked(examine(exercise, [own_element_only]), "every-block") != mistake.asks


def test_known_mistakes_are_read_as_they_were_written():
    observed = observation_of({"out": np.array([1.5, np.nan]), "n": 3, "seen": ["a", "b"]})
    mistakes = {"one": KnownMistake("Which `i`?", {"right": 2}, {2: observed})}
    assert read_mistakes(mistakes_text(mistakes, "digest")) == mistakes
    assert read_mistakes(mistakes_text({}, "digest")) == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": np.array([1.0, 2.0])}, {"a": np.array([1.0, 2.001])}),
        ({"a": np.array([1.0, 2.0])}, {"a": np.array([2.0, 1.0])}),
        ({"a": np.array([1.0, np.nan])}, {"a": np.array([1.0, np.inf])}),
        ({"a": np.float32([0, 0])}, {"a": np.float32([0, 1e-30])}),
        ({"a": np.zeros(2, np.float32)}, {"a": np.zeros(2)}),
        ({"a": np.zeros((2, 1))}, {"a": np.zeros((1, 2))}),
        ({"a": 3}, {"a": 4}),
        ({"a": 3}, {"a": "3"}),
        ({"a": 3}, {"b": 3}),
        ({"a": [1.0, 2]}, {"a": [1.0, 3]}),
        ({"a": 1e-3}, {"a": 1.001e-3}),
        ({"a": {"x": 1}}, {"a": {"x": 2}}),
        ({"seen": ['{"kind": "race", "line": 3}']}, {"seen": ['{"kind": "barrier", "line": 3}']}),
        ({"a": [float(n) for n in range(40)]}, {"a": [float(n) for n in range(40, 0, -1)]}),
    ],
)
def test_other_results_are_other_observations(one, other):
    assert observation_of(one).is_like(observation_of(one))
    assert not observation_of(one).is_like(observation_of(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": np.float32([1, 2, 3])}, {"a": np.float32([1, 2, 3]) * np.float32(1.0000001)}),
        ({"seen": ['{"kind": "race", "line": 3}']}, {"seen": ['{"kind": "race", "line": 4}']}),
        (
            {"seen": ['{"kind": "k", "level": "note"}', '{"kind": "race"}']},
            {"seen": ['{"kind": "race"}']},
        ),
        ({f"a{n}": 1.0 for n in range(40)}, {f"a{n}": 1.0 + 1e-8 for n in range(40)}),
    ],
)
def test_rounding_and_what_is_the_learner_s_own_make_no_difference(one, other):
    assert observation_of(one).is_like(observation_of(other))


def test_an_entry_that_differs_from_run_to_run_can_be_left_out():
    one, other = ({"out": 1, "seconds": seconds} for seconds in (0.25, 0.5))
    assert observation_of(one, ["seconds"]).is_like(observation_of(other, ["seconds"]))


def judged(*answers):
    """An exercise with a case for each of what is yielded for the property ``p``."""
    cases = [Case(f"case {number}", {}) for number in range(len(answers))]
    given = iter(answers)
    judge = Judge(
        "Title",
        (Property("p", "it is so", 2, asks="Is it?"),),
        ("", "", ""),
        lambda rng: cases,
        lambda case, observed: [one for one in [next(given)] if one],
    )
    exercise = load("blocks")
    play = replace(exercise.play, run=lambda answers, inputs: {})
    (result,) = (
        report := examine(replace(exercise, play=play, judge=judge), [every_third])
    ).results
    return result, to_text(report_card(report))


def test_what_cannot_be_judged_yet_earns_nothing_and_is_not_wrong():
    result, card = judged(None, Undecided("p", "nothing was written"))
    assert not result.holds and result.earned == 0
    assert "– it is so: cannot be judged yet (2 points)" in card
    assert "nothing was written." in card
    assert "✗" not in card


def test_a_counterexample_counts_more_than_a_case_that_shows_nothing():
    result, card = judged(Undecided("p", "nothing was written"), Fault("p", "it is not"))
    assert result.case == "case 1"
    assert "✗ it is so: no" in card and "Is it?" in card


@pytest.mark.parametrize("text", ['{"', '{"a": ', '{"a": 1} and more', '{"' + "[" * 100_000])
def test_a_text_that_begins_like_a_record_is_a_text(text):
    one, other = ({"said": [text]}, {"said": [text + "x"]})
    assert observation_of(one).is_like(observation_of(one))
    assert not observation_of(one).is_like(observation_of(other))
    assert observation_of({"said": text, 1: 2}) == observation_of({"said": text, 1: 2})
