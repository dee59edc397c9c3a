"""Which verdicts say that something could be forged: those on what is observed beside the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuedu.exercises.examine import report_without_cases
from gpuedu.exercises.registry import load
from gpuedu.grading.verdict import ExerciseVerdict
from gpuedu.syllabus import exercise_ids

GUIDE = Path(__file__).parents[3] / "docs" / "grading.md"
COUNTED_ELSEWHERE = (
    *("no-loops", "stay-on-device", "elementwise", "reduction", "tiled"),
    *("honest-timer", "time-to-accuracy", "noise-scale", "sgd-or-adam", "streams", "prefetch"),
    *("parallel-cpu", "batch-job"),
)
RESULTS_ALONE = ("bandwidth", "amdahl", "backward-by-hand", "float-anatomy", "alpha-beta")
REPEATED = (
    *("save-and-resume", "ring-all-reduce", "who-waits", "sampler", "naive-ddp", "buckets"),
    *("clip-and-mean", "overlap", "lr-finder", "checkpointing", "autocast", "augment-on-device"),
    *("same-accuracy", "transfer-size", "accumulate-gradients", "rendezvous"),
)
OBSERVED = ("hidden-syncs", "survive")


def told(name):
    exercise = load(name)
    report = report_without_cases(exercise, "unsolved")
    return ExerciseVerdict.of(report, exercise.play)


@pytest.mark.parametrize("name", (*COUNTED_ELSEWHERE, *RESULTS_ALONE, *REPEATED))
def test_results_and_what_is_counted_elsewhere_cannot_be_forged(name):
    verdict = told(name)
    assert (verdict.forgeable, verdict.observed) == (False, "")


@pytest.mark.parametrize("name", OBSERVED)
def test_what_is_observed_beside_the_code_is_said_in_words(name):
    verdict = told(name)
    assert verdict.forgeable
    assert len(verdict.observed.split()) > 2


def test_what_is_attested_is_said_in_words():
    plays = {name: load(name).play for name in exercise_ids()}
    attesting = [name for name, play in plays.items() if play.attests]
    assert "compile-it" in attesting
    # Of sampler, a remark on the card is attested, which earns and costs nothing.
    assert [name for name in attesting if not plays[name].observes] == ["sampler"]


def test_nothing_on_the_machine_says_that_it_observes():
    """Only of errors that are kept, and what lives in their frames, a learner's process has to tell."""
    plays = {name: load(name).play for name in exercise_ids()}
    telling = [name for name, play in plays.items() if play.on_machine and play.observes]
    assert telling == ["largest-batch"]


def test_what_can_be_forged_is_in_the_documentation_and_is_little():
    """Fewer than 8 exercises, and 40 points at most; whoever adds one says why."""
    rows = re.findall(r"^  \| \*(.+?)\* \| (\S+) of (\S+) \|", GUIDE.read_text("utf-8"), re.M)
    found = []
    for name in exercise_ids():
        exercise = load(name)
        properties = exercise.judge.properties
        points = sum(one.points for one in properties if exercise.play.can_forge(one.name))
        if exercise.play.forgeable:
            whole = sum(one.points for one in properties)
            found.append((name, f"{points:g}", f"{whole:g}"))
            assert {*exercise.play.observed_in} <= {one.name for one in properties}
    assert rows == found
    assert len(found) < 8 and sum(float(points) for _, points, _ in found) <= 40
