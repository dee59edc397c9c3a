"""A class's report: who is stuck on what, like which misconception, and who wrote the same."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from gpuedu.course.proof import Bench
from gpuedu.exercises.examine import examine, report_without_cases
from gpuedu.exercises.registry import load
from gpuedu.grading.report.behaviors import behavior_in, behavior_of, group_failures
from gpuedu.grading.report.known import KnownAnswers
from gpuedu.grading.report.likeness import alike, runs_of
from gpuedu.grading.report.page import as_table, histogram, render_page
from gpuedu.grading.report.summary import summarize
from gpuedu.grading.verdict import (
    ExerciseVerdict,
    GradingTask,
    State,
    Verdict,
    verdict_name,
    write_verdict,
)
from tests.grading.batch.class_of import ROOT

EXERCISE, LESSON = "amdahl", "01_why_gpus"
BENCH = Bench(ROOT, EXERCISE)
PLAY = replace(
    load(EXERCISE).play,
    observes="what is counted",
    observed_in=(load(EXERCISE).judge.properties[0].name,),
)
NAMES, WRONG = zip(*BENCH.wrong_texts().items(), strict=True)


def verdict_on(learner, text, seed=5):
    """The verdict on an answer to one exercise, as a file of it would have it."""
    answers = BENCH.answers([*BENCH.solution_cells(), text], learner)
    part = ExerciseVerdict.of(examine(load(EXERCISE), answers, seed), PLAY)
    task = GradingTask(learner, LESSON, "", seed)
    return Verdict(task, State.GRADED, exercises=(part,), answers={f"{EXERCISE}-answer": text})


def failed(learner, reason):
    return Verdict(GradingTask(learner, LESSON, "", 0), State.FAILED_BY_LEARNER, reason=reason)


@pytest.fixture(scope="module")
def verdicts():
    one, other = WRONG[:2]
    made = [
        verdict_on("ann", BENCH.solution_cells()[-1]),
        verdict_on("bob", one, seed=5),
        verdict_on("cy", one + "\n# mine", seed=6),
        verdict_on("dan", other),
        failed("eve", "this is not a <b>notebook</b>"),
    ]
    return [verdict.as_dict() for verdict in made]


@pytest.fixture(scope="module")
def summary(verdicts):
    known = KnownAnswers(ROOT)
    (found,) = summarize(verdicts, known.behaviors, known.given)
    return found


def test_answers_that_fail_alike_are_grouped_whatever_their_cases(summary):
    (exercise,) = summary.exercises
    assert dict(exercise.states)["solved"] == 1
    assert sum(exercise.states.values()) == 4
    first = exercise.groups[0]
    assert first.learners == ("bob", "cy")
    assert first.misconception == NAMES[0]
    assert first.loses
    assert first.example == WRONG[0]
    assert [group.learners for group in exercise.groups[1:]] == [("dan",)]


def test_verdicts_of_another_version_have_other_exercises(verdicts):
    known = KnownAnswers(ROOT)
    (part,) = verdicts[3]["exercises"]
    of_both = {**verdicts[3], "exercises": [{**part, "id": "speedup"}, part]}
    (found,) = summarize([*verdicts[:3], of_both], known.behaviors, known.given)
    assert {one.id: sum(one.states.values()) for one in found.exercises} == {
        EXERCISE: 4,
        "speedup": 1,
    }


def test_every_stored_misconception_is_known_by_its_behavior():
    known = KnownAnswers(ROOT).behaviors(EXERCISE)
    for name, text in zip(NAMES, WRONG, strict=True):
        answers = BENCH.answers([*BENCH.solution_cells(), text], name)
        assert behavior_in(examine(load(EXERCISE), answers, 99)) in known


def test_a_failure_that_nobody_stored_has_no_name(verdicts):
    (group, *_) = group_failures(verdicts, EXERCISE, {})
    assert group.misconception == ""
    assert group.cause


def test_behaviors_hold_no_numbers_of_cases(verdicts):
    for verdict in verdicts[1:3]:
        (part,) = verdict["exercises"]
        told = "".join(text for _, _, text in behavior_of(part["properties"]))
        assert "0." not in told


LONG = """
def train(model, data, epochs):
    losses = []
    for epoch in range(epochs):
        total = 0.0
        for x, y in data:
            loss = ((model(x) - y) ** 2).mean()
            loss.backward()
            total += loss.item() * len(y)
        losses.append(total / len(data))
    return losses
"""
RENAMED = LONG.replace("losses", "history").replace("total", "s").replace("epoch", "e")
OTHER = """
def train(model, data, epochs):
    def one():
        parts = [(model(x) - y).pow(2).mean() for x, y in data]
        torch.stack(parts).sum().backward()
        return float(torch.stack(parts).mean())
    return [one() for _ in range(epochs)]
"""


def test_renaming_and_comments_hide_no_copy():
    answers = {"ann": LONG, "bob": RENAMED + "\n# all mine", "cy": OTHER, "dan": "x = 1"}
    (found,) = alike(answers)
    assert found.learners == ("ann", "bob")
    assert found.share == 1
    (found,) = alike(answers | {"eve": LONG + "\nprint(1)"})
    assert found.learners == ("ann", "bob", "eve")
    assert 0.9 <= found.share < 1


def test_what_everybody_was_given_and_short_answers_do_not_count():
    assert alike({"ann": LONG, "bob": LONG}, usual=LONG) == []
    assert alike({"ann": "def f(x):\n    return 2 * x", "bob": "def f(y):\n    return 2 * y"}) == []


def test_what_is_no_python_is_compared_as_far_as_it_goes():
    assert runs_of("def f(:\n    ((((") is not None
    assert alike({"ann": LONG + "(((", "bob": LONG + "'''"})[0].share > 0.9
    assert runs_of("a = 1\nb = '\ud800'") == runs_of("a = 1\nb = '?'")


def test_nobody_looks_on_behind_a_quote_that_never_ends():
    """Each further quote would be looked for to the end of the line: 200,000 took ten minutes."""
    assert runs_of(LONG + "\n'" + r"\'" * 100) == runs_of(LONG + "\n'")


def test_the_page_shows_what_was_found_and_nothing_becomes_markup(summary):
    page = render_page([summary])
    assert "5 submissions, 4 graded" in page
    assert NAMES[0] in page
    assert "&lt;b&gt;notebook&lt;/b&gt;" in page
    assert "<b>notebook" not in page
    assert page.count("</span> *</td>") == 1  # one property hangs on what is observed
    assert "* Could be forged: what is counted." in page
    rows = as_table(summary.exercises)
    assert rows[0][0] == EXERCISE
    assert rows[0][4] == f"2 x {NAMES[0]}"


def test_no_character_of_the_page_acts_without_being_seen():
    told = [failed("eve\x1b[2K", "\u202eodd, <b>\x07").as_dict()]
    page = render_page(summarize(told, lambda _: {}, lambda _: ""))
    assert all(one.isprintable() or one == "\n" for one in page)
    assert "eve\\x1b[2K" in page and "\\u202eodd, &lt;b&gt;\\x07" in page


def test_a_class_of_which_nothing_was_graded_has_a_page():
    told = [failed("eve", "empty").as_dict()]
    (found,) = summarize(told, lambda _: {}, lambda _: "")
    page = render_page([found])
    assert "1 submission, 0 graded" in page
    assert "empty" in page


def test_full_marks_stand_alone():
    assert histogram([10, 9.5], 10)[-2:] == [("8 to 10", 1), ("10", 1)]


def test_the_command_prints_a_table_and_writes_a_page(tmp_path, verdicts):
    for text in ("bob", "cy"):
        verdict = verdict_on(text, WRONG[0])
        write_verdict(tmp_path, verdict_name(verdict.task, text, ""), verdict)
    page = tmp_path / "class.html"
    command = [sys.executable, "-m", "gpuedu", "report", str(tmp_path), "--page", str(page)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert "2 submissions, 2 graded" in done.stdout
    assert "<h3>amdahl</h3>" in page.read_text("utf-8")
    nothing = subprocess.run([*command[:4], str(ROOT / "docs")], capture_output=True, text=True)
    assert nothing.returncode == 1
    assert "there is no verdict in" in nothing.stderr


def test_a_text_that_no_file_can_have_stops_no_page(verdicts):
    told = [{**verdicts[0], "repairs": ["half \ud800 of a character"]}]
    page = render_page(summarize(told, lambda _: {}, lambda _: ""))
    assert page.encode("utf-8", "replace")
    report = replace(
        report_without_cases(load(EXERCISE), "refused"), refusal="\ud800" * 9_999, remedy="\udcff"
    )
    verdict = ExerciseVerdict.of(report, load(EXERCISE).play)
    assert verdict.refusal.encode("utf-8") == b"?" * 4_000
    assert verdict.remedy == "?"
