"""The syllabus: lessons that exist are whole, names are found, faults are named."""

from __future__ import annotations

import pytest

from gpuedu.errors import CatalogError, UnknownNameError
from gpuedu.exercises.registry import load, load_picture, load_prediction
from gpuedu.syllabus import (
    exercise_ids,
    lesson,
    lesson_of,
    lessons,
    parse,
    ready_lessons,
    topic_exercises,
)

ROW = """
[[lesson]]
slug = "a-b"
title = "A"
question = "A?"
minutes = 5
memory_mb = 100
gains = "nothing"
ready = true
core = ["x"]
stretch = []
"""


def test_lessons_are_numbered_in_order():
    assert [entry.number for entry in lessons()] == list(range(len(lessons())))


def test_pictures_are_named_by_topic_and_not_by_a_lesson_that_shares_one():
    assert set(topic_exercises("cooperation")) >= {"block-sum", "scan"}
    with pytest.raises(UnknownNameError, match="no topic is called 'scans'"):
        load_picture("scans/chain")


def test_lessons_on_one_topic_share_a_package():
    first, second = parse(ROW + ROW.replace('"a-b"', '"c"').replace('"x"', '"y"') + 'topic = "a-b"')
    assert (first.module, second.module) == ("a_b", "a_b")
    assert second.folder == "01_c"


def test_a_lesson_is_found_by_slug_number_and_folder():
    for name in ("why-gpus", "1", "01", "01_why_gpus"):
        assert lesson(name).slug == "why-gpus"
    with pytest.raises(UnknownNameError, match="why-gpus"):
        lesson("why-gpu")


@pytest.mark.parametrize("exercise", exercise_ids())
def test_every_exercise_is_whole(exercise):
    found = load(exercise)
    judge = found.judge
    assert found.lesson == lesson_of(exercise).slug
    assert len(judge.hints) == 3
    assert len(set(judge.hints)) == 3
    names = [prop.name for prop in judge.properties]
    assert len(set(names)) == len(names) >= 2
    assert all(prop.points > 0 and prop.says for prop in judge.properties)
    assert all(load_prediction(key).question for key in judge.predictions)


def test_ready_lessons_have_exercises_and_their_folders(root):
    for entry in ready_lessons():
        assert entry.exercises
        assert (root / "solutions" / entry.folder / f"{entry.folder}.py").is_file()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('gains = "nothing"', 'gains = "speed"', "gains not in"),
        ("minutes = 5\n", "", "minutes"),
        ("minutes = 5", "minutes = 5\nhours = 1", "hours"),
        ('core = ["x"]', 'core = ["x", "x"]', "listed twice: x"),
        ("[[lesson]]", "[[lesson", "syllabus.toml"),
    ],
)
def test_a_fault_in_the_file_is_named(old, new, said):
    with pytest.raises(CatalogError, match=said):
        parse(ROW.replace(old, new))


def test_a_lesson_is_read():
    (entry,) = parse(ROW)
    assert (entry.folder, entry.module, entry.exercises) == ("00_a_b", "a_b", ("x",))
