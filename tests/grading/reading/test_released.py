"""A notebook with other numbers than its learner was given is told as that, and not as a change."""

from __future__ import annotations

import nbformat
import pytest

from gpuedu.errors import GpueduError
from gpuedu.grading.reading import released as reading
from gpuedu.grading.reading.released import read, released
from gpuedu.grading.verdict import GradingTask

ONE, OTHER = "onecodeoftwe", "anothercodeo"
DRAWN = ("01_why_gpus", "02_first_kernels", "04_memory", "09_training_step")
JUDGED = "it was judged by those that this learner was given"
TOLD = {
    (ONE, ""): [f"the notebook has the published numbers: {JUDGED}"],
    (ONE, OTHER): [f"the notebook has numbers of another class or learner: {JUDGED}"],
    ("", ONE): [
        "the notebook has numbers of a class or learner: it was judged by the published ones"
    ],
    (ONE, ONE): [],
    ("", ""): [],
}


def repairs(folder, lesson, given, notebook):
    """What is told of a notebook from a learner who was given the numbers of a code."""
    path = folder / f"{lesson}.ipynb"
    nbformat.write(notebook, path)
    return list(read(GradingTask("ann", lesson, str(path), 1, given)).repairs)


def setup_of(notebook):
    return next(one for one in notebook.cells if one.metadata["gpuedu"]["role"] == "setup")


def changed(notebook, source):
    mine = nbformat.from_dict(notebook)
    setup_of(mine).source = source
    return mine


@pytest.mark.parametrize("lesson", DRAWN)
@pytest.mark.parametrize(("given", "has"), TOLD)
def test_other_numbers_are_told_as_what_they_are(lesson, given, has, tmp_path):
    assert repairs(tmp_path, lesson, given, released(lesson, has)) == TOLD[given, has]


@pytest.mark.parametrize(("given", "has"), TOLD)
def test_what_a_learner_changed_is_told_besides(given, has, tmp_path):
    (lesson, *_) = DRAWN
    notebook = released(lesson, has)
    mine = changed(notebook, setup_of(notebook).source + "\nimport os")
    change = f"changed by the learner, run as released: {setup_of(notebook).id}"
    assert repairs(tmp_path, lesson, given, mine) == [*TOLD[given, has], change]


def test_only_the_code_of_the_setup_cell_is_another(tmp_path):
    """Every other cell is as it was given: none of them is called changed."""
    (*_, lesson) = DRAWN
    mine = changed(released(lesson, ONE), setup_of(released(lesson)).source)
    assert repairs(tmp_path, lesson, ONE, mine) == TOLD[ONE, ""]


def test_a_setup_cell_that_is_gone_or_emptied_says_nothing_of_numbers(tmp_path):
    (lesson, *_) = DRAWN
    told = repairs(tmp_path, lesson, ONE, changed(released(lesson, ONE), "x = 1"))
    assert told == [f"changed by the learner, run as released: {setup_of(released(lesson)).id}"]
    mine = nbformat.from_dict(released(lesson, ONE))
    mine.cells.remove(setup_of(mine))
    assert repairs(tmp_path, lesson, ONE, mine) == [
        f"put back, as released: {setup_of(released(lesson)).id}"
    ]


def test_a_code_in_a_lesson_in_which_nothing_is_drawn_is_the_learners_own(tmp_path):
    lesson = "05_cooperation"
    public = setup_of(released(lesson)).source
    mine = changed(released(lesson), public.replace('")', f'", variant="{ONE}")'))
    (told,) = repairs(tmp_path, lesson, ONE, mine)
    assert told.startswith("changed by the learner")


def test_a_code_from_which_nothing_can_be_drawn_stops_no_class(tmp_path, monkeypatch):
    (lesson, *_) = DRAWN
    mine, given = released(lesson, OTHER), released(lesson, ONE)

    def refuse(_folder, code):
        if code == OTHER:
            raise GpueduError("no such text")
        return given

    monkeypatch.setattr(reading, "released", refuse)
    (told,) = repairs(tmp_path, lesson, ONE, mine)
    assert told.startswith("changed by the learner")
