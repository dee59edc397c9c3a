"""The syllabus: lessons that exist are whole, names are found, faults are named."""

from __future__ import annotations

import pytest

from gpuedu.errors import CatalogError, UnknownNameError
from gpuedu.exercises.registry import load, load_picture, load_prediction
from gpuedu.syllabus import (
    all_needs,
    exercise_ids,
    lesson,
    lesson_of,
    lessons,
    next_lesson,
    parse,
    parse_ways,
    ready_lessons,
    topic_exercises,
    way,
    ways,
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


def test_a_lesson_needs_only_earlier_ones():
    later = ROW.replace('"a-b"', '"c"').replace('"x"', '"y"')
    first, second = parse(ROW + later + 'needs = ["a-b"]')
    assert (first.needs, second.needs) == ((), ("a-b",))
    for needs in ('["c"]', '["a-b"]', '["nowhere"]'):
        with pytest.raises(CatalogError, match=r"lesson 'a-b' needs '.+', which is not before it"):
            parse(f"{ROW}needs = {needs}\n{later}")


def test_what_is_needed_comes_with_what_that_needs_in_turn():
    needed = [entry.slug for entry in all_needs([lesson("inference")])]
    assert {"tiling", "attention-kernels", "why-gpus"} <= set(needed)
    assert needed == [entry.slug for entry in lessons() if entry.slug in needed]
    assert all(set(lesson(slug).needs) <= set(needed) for slug in needed)


def test_each_lesson_leads_to_the_next_and_the_last_to_none():
    found, entry = [], ready_lessons()[0]
    while entry is not None:
        found.append(entry)
        entry = next_lesson(entry)
    assert tuple(found) == ready_lessons()


WAY = """
[[way]]
slug = "short"
title = "Short"
who = "You."
known = ["why-gpus"]
unit = "day"
session_minutes = 200
sessions = [["welcome", "first-kernels"], ["memory"]]
"""


def test_a_way_has_the_minutes_and_the_memory_of_its_lessons():
    (found,) = parse_ways(WAY)
    entries = [lesson(slug) for slug in ("welcome", "first-kernels", "memory")]
    assert list(found.lessons) == entries
    assert found.minutes == sum(entry.minutes for entry in entries)
    assert found.memory_mb == max(entry.memory_mb for entry in entries)
    assert [entry.slug for entry in found.known] == ["why-gpus"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"memory"', '"memry"', "way 'short' names 'memry'"),
        ('known = ["why-gpus"]', "", "'first-kernels' needs 'why-gpus'"),
        (
            '"welcome", "first-kernels"',
            '"first-kernels", "welcome", "memory"',
            "'memory' is there twice",
        ),
        (
            '[["welcome", "first-kernels"], ["memory"]]',
            '[["memory", "first-kernels"]]',
            "'memory' needs",
        ),
        ('["memory"]', "[]", "a session without a lesson"),
        ("200", "100", "session 1, with 'first-kernels' at its end, takes"),
        ('"short"', '"memory"', "'memory' names another way or lesson"),
        ('who = "You."', "", "who"),
        ('unit = "day"', 'unit = "day"\nminutes = 5', "minutes"),
        ("[[way]]", "[[way", "ways.toml"),
    ],
)
def test_a_fault_in_a_way_names_it_and_the_lesson(old, new, said):
    with pytest.raises(CatalogError, match=said):
        parse_ways(WAY.replace(old, new))


def test_what_is_known_knows_all_that_it_needs():
    text = WAY.replace('["why-gpus"]', '["tiling"]')
    (found,) = parse_ways(
        text.replace('[["welcome", "first-kernels"], ["memory"]]', '[["memory"]]')
    )
    assert [entry.slug for entry in found.lessons] == ["memory"]


def test_ten_weeks_have_every_lesson_and_a_day_is_no_longer_than_a_day():
    assert way("ten-weeks").lessons == ready_lessons()
    assert len(way("ten-weeks").sessions) == 10
    days = [one for one in ways() if one.unit == "day"]
    assert {len(one.sessions) for one in days} == {1, 2}
    assert all(one.minutes <= 8 * 60 * len(one.sessions) for one in days)
    assert {"kernels", "training", "many-gpus"} < {one.slug for one in ways()}
    with pytest.raises(UnknownNameError, match="Try: training"):
        way("trainig")
