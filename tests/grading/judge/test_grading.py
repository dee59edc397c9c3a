"""One submission: what is played, and what need not be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gpuedu.course.proof import Bench
from gpuedu.exercises.examine import report_without_cases
from gpuedu.exercises.registry import load
from gpuedu.grading.judge import wary
from gpuedu.grading.judge.cells import Cells, course_cells, is_untouched
from gpuedu.grading.judge.examining import examine_cells
from gpuedu.grading.judge.grading import grade
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.sandbox import PlayingLimits
from gpuedu.grading.sandbox.limits import JudgeSlowError
from gpuedu.grading.submission import Submission
from gpuedu.grading.verdict import GradingTask
from gpuedu.syllabus import exercise_ids, ready_lessons
from tests.hostile.answers import RIGHT
from tests.sampled import sampled

ROOT = Path(__file__).parents[3]
ONE_OF_EACH_LESSON = [one.exercises[1] for one in ready_lessons()]


class NoZygote:
    """Nobody may ask it for anything."""


# That a stub is unsolved, tests/test_proofs.py proves for every exercise, on another seed.
@pytest.mark.parametrize("exercise", sampled(exercise_ids(), chosen=ONE_OF_EACH_LESSON))
def test_check_says_of_a_blank_what_is_said_without_playing_it(exercise):
    bench = Bench(ROOT, exercise)
    own = bench.try_answers(bench.stub_cells(), "stub", 7)
    theirs = report_without_cases(bench.exercise, "unsolved")
    assert (own.state, own.held(), own.points) == (theirs.state, theirs.held(), 0.0)


@pytest.mark.parametrize("lesson", [one.folder for one in ready_lessons()])
def test_a_lesson_as_it_was_handed_out_needs_no_player(lesson):
    task = GradingTask("ann", lesson, "", 7)
    verdict = grade(NoZygote(), task, Submission({}, (), "0"), PlayingLimits())
    assert {one.state for one in verdict.exercises} == {"unsolved"}
    assert verdict.points == 0.0


def test_a_judge_that_is_too_slow_is_a_fault_of_ours(zygote, monkeypatch):
    def for_ever(*_):
        while True:
            pass

    exercise = load("first-check")
    monkeypatch.setattr(wary, "VERDICT_LIMIT_S", 0.2)
    exercise = replace(exercise, judge=replace(exercise.judge, verdict=for_ever))
    cells = Cells((("answer", RIGHT),), ("copied_bytes",))
    with Stage(zygote, PlayingLimits()) as stage, pytest.raises(JudgeSlowError):
        examine_cells(stage, exercise, cells, 3)


def test_a_result_of_the_learners_own_that_costs_the_judge_any_time_is_no_fault_of_ours(
    monkeypatch,
):
    """Where nothing is played again, a made-up result may be as long as a message."""
    exercise = load("survive")
    assert not (exercise.play.on_machine or exercise.play.is_repeatable)
    monkeypatch.setattr(wary, "VERDICT_LIMIT_S", 0.5)
    cases = exercise.judge.cases(np.random.default_rng(1)) * 2
    one = {"run": "unbroken", "rank": 0, "step": 3, "file": 1, "path": "a", "at": 0, "attempt": 0}
    entries = [{**one, "kind": "save"} for _ in range(10_900)]
    entries += [{**one, "kind": "fsync", "at": 1, "size": 1}]
    observed = {"entries": entries, "failure": "", "remedy": "", "attempt": 0}
    judge = wary.wary(exercise).judge
    for case in cases:  # of which only the first one takes time
        faults = list(judge.verdict(case, observed))
        assert faults and all("costs too much time" in fault.message for fault in faults)


def test_a_blank_with_other_line_ends_is_a_blank_and_one_with_a_word_in_it_is_not():
    given = course_cells("01_why_gpus")
    (blank,) = [one for one in given if (one.exercise, one.role) == ("amdahl", "answer")]
    assert is_untouched(given, {blank.id: blank.source + "\n"}, "amdahl")
    assert not is_untouched(given, {blank.id: blank.source + "\nx = 1"}, "amdahl")


def test_numbers_without_end_are_a_result_that_is_not_judged():
    """A judge that goes through them one by one would be too slow, which is the grader's fault."""
    exercise = load("train-digits")
    (case, *_) = exercise.judge.cases(np.random.default_rng(1))
    observed = {"accuracies": [np.zeros(60_000_000, bool)], "learned": [], "frozen": []}
    faults = list(wary.wary(exercise).judge.verdict(case, observed))
    assert faults and all("2,000,000 numbers" in fault.message for fault in faults)
