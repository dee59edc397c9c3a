"""An answer key has a lesson's solutions and mistakes, says so, and needs nothing but itself."""

from __future__ import annotations

import re

import pytest

from gpuedu.course.desk.choices import LETTERS, all_typical, choices_for
from gpuedu.course.desk.key import changed_lines, entries, write_key
from gpuedu.course.proof import Bench
from gpuedu.course.stored import Change, StoredAnswer
from gpuedu.errors import GpueduError
from gpuedu.exercises.contract import Prediction
from gpuedu.exercises.registry import load
from gpuedu.syllabus import exercise_ids, lesson

LESSON = lesson("first-kernels")
FETCHED = re.compile(r'(?:src|href)="(?!#|data:)|url\(|@import|<script')


@pytest.fixture(scope="module")
def page(root, tmp_path_factory):
    path = tmp_path_factory.mktemp("key") / "key.html"
    write_key(root, LESSON, path)
    return path.read_text("utf-8")


def test_it_says_first_that_it_has_solutions(page):
    assert page.index("this page has the solutions") < page.index("<h2")


def test_each_exercise_has_its_task_solution_and_hints(page):
    for exercise in LESSON.exercises:
        part = page[page.index(f'<h2 id="{exercise}"') :].partition("</section>")[0]
        for heading in ("The task", "A solution", "What is checked", "The hints"):
            assert f"<h3>{heading}</h3>" in part, exercise
        assert part.count('<td class="n">') == len(load(exercise).judge.properties)
    assert "BEGIN SOLUTION" not in page
    assert "start[i] = total" in page


def test_each_known_mistake_is_there_once_below_what_it_loses(root):
    for entry in entries(root, LESSON):
        known = Bench(root, entry.listed.id).stored_wrong()
        told = [one.name for theirs in entry.mistakes.values() for one in theirs]
        assert sorted(told) == sorted(name.replace("_", " ") for name in known)
        by_name = {one.name: one for theirs in entry.mistakes.values() for one in theirs}
        for name, stored in known.items():
            if stored.asks:
                assert by_name[name.replace("_", " ")].asks == stored.asks


def test_predictions_have_their_truth_and_reason(page):
    assert "<strong>28 lanes</strong>. Three warps hold 96 threads" in page
    assert "4 lanes: the lanes of the last warp that do have a thread" in page


def test_nothing_is_fetched(page):
    assert not FETCHED.search(page)


def test_a_change_is_shown_with_its_neighbors_alone():
    before = ("a = 1", "b = 2", "c = 3", "d = 4")
    change = Change(before, (*before[:3], "d = 5"))
    assert changed_lines(StoredAnswer("five", "right", changes=(change,))) == [
        (" ", "..."),
        (" ", "c = 3"),
        ("-", "d = 4"),
        ("+", "d = 5"),
    ]


def test_an_answer_that_is_no_edit_is_shown_whole():
    whole = StoredAnswer("other", "right", statements="\ndef f():\n    return 1\n")
    assert changed_lines(whole) == [(" ", "def f():"), (" ", "    return 1")]


def test_a_folder_that_is_not_there_is_told(root, tmp_path):
    with pytest.raises(GpueduError, match="cannot write"):
        write_key(root, LESSON, tmp_path / "nowhere" / "key.html")


def predictions():
    return {
        key: one
        for exercise in exercise_ids()
        for key, one in load(exercise).judge.predictions.items()
    }


def test_every_prediction_has_its_truth_among_different_choices():
    for key, prediction in predictions().items():
        measured = 14.93 if prediction.truth is None else None
        choices = choices_for(key, prediction, measured)
        assert len({one.text for one in choices}) == len(choices) >= 2, key
        assert [one.letter for one in choices] == list(LETTERS[: len(choices)])
        assert sum(one.is_true for one in choices) == 1, key
        assert len(choices) == 4 or prediction.choices, key
        assert choices == choices_for(key, prediction, measured)


def test_typical_answers_are_of_predictions_with_numbers_and_none_is_the_truth():
    known = predictions()
    for key, answers in all_typical().items():
        truth = known[key].truth
        assert not known[key].choices and truth is not None, key
        assert len(answers) == 3, key
        assert truth not in map(float, answers), key


@pytest.mark.parametrize(
    ("prediction", "alike"),
    [
        (Prediction("how many?", truth=0), lambda value: value == int(value) > 0),
        (Prediction("which share?", truth=60, unit="%"), lambda value: 0 < value <= 100),
        (Prediction("how many?", truth=7), lambda value: value == int(value)),
    ],
)
def test_numbers_that_fill_up_are_of_the_same_kind(prediction, alike):
    wrong = [one for one in choices_for("nowhere", prediction) if not one.is_true]
    assert len(wrong) == 3
    assert all(alike(float(one.text.split()[0].rstrip("%").replace(",", ""))) for one in wrong)


def test_what_nobody_measured_has_no_choices():
    assert choices_for("bandwidth", Prediction("how many ms?", unit="ms")) == ()
