"""What a learner is told of a verdict: the course's own words, and nothing that was seen in a case."""

from __future__ import annotations

import json

import pytest

from gpuedu.course.proof import Bench
from gpuedu.exercises.mistakes import FILE
from gpuedu.exercises.registry import load
from gpuedu.exercises.why_gpus.parallel_cpu.serial_walk import walks_alone
from gpuedu.grading.feedback import feedback_card
from gpuedu.grading.report.behaviors import without_numbers
from tests.grading.test_equal_verdicts import ROOT

LEAKS = "the first n is fourthousandsevenhundred"
"""What code that knows the inputs may say, in letters."""


def card_of(exercise, prop="float32", cause="", **more):
    told = {"says": "it is right", "points": 2, "holds": False, "case": "n = 4711", "name": prop}
    told |= {"message": "f(4711) is 3", "cause": cause}
    verdict = {"id": exercise, "points": 0.0, "max_points": 2, "state": "wrong"}
    verdict |= {"printed": "got 4711", "refusal": "", "remedy": "", "properties": [told]}
    card = feedback_card(verdict | more)
    return " ".join(f"{card} {card._repr_html_()}".split())


def asks_of(exercise, prop):
    return next(one.asks for one in load(exercise).judge.properties if one.name == prop)


@pytest.mark.parametrize("cause", [LEAKS, "4711", f"{LEAKS}."])
def test_a_cause_that_the_course_does_not_have_is_not_shown(cause):
    told = card_of("first-check", "float32", cause)
    assert "hundred" not in told and "4711" not in told
    assert asks_of("first-check", "float32") in told


def test_names_that_a_learner_gave_are_not_in_a_question():
    cause = f"Which stream reads `{LEAKS}`, and which one writes it?"
    assert "hundred" not in card_of("streams", "order", cause)


def test_a_docstring_of_the_course_is_no_question():
    """There are more than a thousand: which one is shown could say what was seen."""
    docstring = walks_alone.__doc__.strip().splitlines()[0]
    assert len(docstring) > 20
    assert docstring not in card_of("parallel-cpu", "parallel", walks_alone.__doc__)


@pytest.mark.parametrize("exercise", ["streams", "transpose", "sgd-or-adam"])
def test_what_known_mistakes_and_properties_ask_is_shown(exercise):
    bench = Bench(ROOT, exercise)
    properties = bench.exercise.judge.properties
    known = json.loads((bench.folder / "judge" / FILE).read_text("utf-8"))["mistakes"].values()
    for asks in (*(one.asks for one in properties), *(one["asks"] for one in known)):
        assert " ".join(asks.split()) in card_of(exercise, properties[0].name, asks)


@pytest.mark.parametrize(
    ("refusal", "shown"),
    [
        (f"it raised ValueError: {LEAKS}, on line 4711 of its cell: `x = 4711`", "a ValueError"),
        (f"it raised Fourthousand: {LEAKS}", "cannot be run"),
        ("your cells did not finish within 4711 s", "did not finish in time"),
        (LEAKS, "cannot be run"),
    ],
)
def test_why_cells_are_refused_is_told_without_the_learners_words(refusal, shown):
    """What another exercise has seen can be left for this one's cells, in ways without number."""
    told = card_of("first-check", state="refused", refusal=refusal, remedy=LEAKS)
    assert shown in told
    assert not [word for word in ("hundred", "thousand", "4711") if word in told.lower()]


def test_numbers_are_left_out():
    assert without_numbers("rank 0: 1e-3, -2.5 of 3,000 in float32 (x2)") == (
        "rank …: …, … of … in float32 (x2)"
    )
