"""Plans: a goal's lessons and what they need, as much of it as fits, and what was left out."""

from __future__ import annotations

import json

import pytest

from gpuedu.course.plan import make_plan
from gpuedu.course.plan_text import duration, plan_text, ways_text
from gpuedu.errors import UnknownNameError
from gpuedu.syllabus import all_needs, lesson, ready_lessons, way, ways
from tests.test_cli import gpuedu


def slugs(parts):
    return [part.lesson.slug for part in parts]


def test_a_lesson_as_the_goal_comes_after_all_that_it_needs():
    plan = make_plan("tiling")
    assert slugs(plan.parts) == ["why-gpus", "first-kernels", "memory", "tiling"]
    assert plan.minutes == sum(lesson(slug).minutes for slug in slugs(plan.parts))
    assert plan.sums()[-1] == plan.minutes
    assert make_plan("7").parts == make_plan("07_tiling").parts == plan.parts


@pytest.mark.parametrize("one", ways(), ids=lambda one: one.slug)
def test_a_way_as_the_goal_has_its_lessons_in_its_order(one):
    plan = make_plan(one.slug)
    assert [part.lesson for part in plan.parts] == list(one.lessons)
    assert (plan.minutes, plan.memory_mb, plan.known) == (one.minutes, one.memory_mb, one.known)


def test_what_is_known_is_left_out_with_what_it_needs():
    plan = make_plan("inference", know=["registers", "training-step"])
    assert not {"tiling", "memory", "registers", "training-step"} & set(slugs(plan.parts))
    assert slugs(plan.parts)[-1] == "inference"
    assert make_plan("memory", know=["memory"]).parts == ()
    assert "you know all of it" in plan_text(make_plan("memory", know=["memory"]))


@pytest.mark.parametrize("goal", ["kernels", "ten-weeks", "capstone", "inference"])
@pytest.mark.parametrize("hours", [0, 1, 2.5, 8, 21, 100])
def test_what_is_kept_fits_and_has_what_it_needs(goal, hours):
    whole, plan = make_plan(goal), make_plan(goal, hours)
    assert plan.minutes <= hours * 60
    assert sorted([*slugs(plan.parts), *slugs(plan.left_out)]) == sorted(slugs(whole.parts))
    missing = set(slugs(plan.left_out))
    assert not any(missing & set(part.lesson.needs) for part in plan.parts)
    for part in plan.left_out:
        fits = plan.minutes - sum(
            one.lesson.stretch_minutes for one in plan.parts if one.with_stretch
        )
        has_needs = not missing & set(part.lesson.needs)
        assert not has_needs or fits + part.lesson.minutes > hours * 60
    if plan.left_out and plan.parts:
        assert plan.parts[0].lesson == whole.parts[0].lesson


def test_stretch_exercises_come_only_where_all_core_exercises_fit():
    core = make_plan("tiling").minutes
    stretch = lesson("why-gpus").stretch_minutes
    plan = make_plan("tiling", (core + stretch) / 60)
    assert [part.with_stretch for part in plan.parts] == [True, False, False, False]
    assert plan.as_dict()["lessons"][0]["exercises"] == list(lesson("why-gpus").exercises)
    assert plan.as_dict()["lessons"][1]["exercises"] == list(lesson("first-kernels").core)
    assert not any(
        part.with_stretch for part in make_plan("tiling", (core + stretch - 1) / 60).parts
    )


def test_without_a_goal_the_longest_general_way_that_fits_is_taken():
    assert make_plan(hours=8).goal == "one-day"
    assert make_plan(hours=3).goal == "one-day"
    assert make_plan(hours=way("two-days").minutes / 60).goal == "two-days"
    assert make_plan(hours=500).goal == "ten-weeks"


def test_the_plan_says_what_was_left_out_and_what_all_of_it_takes():
    text = plan_text(make_plan("tiling", 4))
    assert "Left out, 3 h 20 min: Memory, Tiling." in text
    assert f"All of it takes {duration(make_plan('tiling').minutes)}" in text
    assert "earliest first" in text


def test_the_table_has_weeks_and_what_each_lesson_builds_on():
    text = plan_text(make_plan("ten-weeks"))
    assert text.count("Week ") == 10
    row = next(line for line in text.splitlines() if line.split()[2:3] == ["Registers"])
    assert row.split()[0] == str(lesson("registers").minutes)
    assert row.endswith("Memory, Scans and races, Tiling")


def test_the_list_of_ways_has_all_of_them():
    text = ways_text(ways())
    for one in ways():
        assert (
            f"{one.slug}: {one.title}. {len(one.lessons)} lessons, {duration(one.minutes)}" in text
        )


def test_an_unknown_goal_gives_the_nearest():
    with pytest.raises(UnknownNameError, match="no way or lesson is called 'tillig'"):
        make_plan("tillig")
    with pytest.raises(UnknownNameError, match="no lesson is called 'kernels'"):
        make_plan("tiling", know=["kernels"])


def test_the_command_speaks_to_people_and_to_programs(root):
    assert "one-day: One day" in gpuedu(root, "plan").stdout
    found = json.loads(gpuedu(root, "plan", "--goal", "memory", "--hours", "4", "--json").stdout)
    assert [one["slug"] for one in found["lessons"]] == ["why-gpus", "first-kernels"]
    assert [one["slug"] for one in found["left_out"]] == ["memory"]
    listed = json.loads(gpuedu(root, "plan", "--json").stdout)
    assert [one["goal"] for one in listed] == [one.slug for one in ways()]
    refused = gpuedu(root, "plan", "--goal", "nothing-such")
    assert refused.returncode == 1 and "Traceback" not in refused.stderr


def test_every_lesson_can_be_a_goal():
    for entry in ready_lessons():
        wanted = [*all_needs([entry]), entry]
        assert [part.lesson for part in make_plan(entry.slug).parts] == wanted
