"""What a learner sees of their progress, and what comes next for them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gpuedu import syllabus
from gpuedu.exercises.progress.following import following
from gpuedu.exercises.progress.summary import summarize
from gpuedu.exercises.progress.view import ProgressView, format_summary, next_lines
from tests.exercises.progress.test_summary import EVENTS, attempt

START = ["Next: `first-check` in Welcome."]


def solved(*lessons: str, but: str = ""):
    """A summary in which all core exercises of some lessons are solved, one after another."""
    names = [name for slug in lessons for name in syllabus.lesson(slug).core if name != but]
    return summarize([attempt(name, 2, 2, hour) for hour, name in enumerate(names)])


def test_the_table_shows_each_begun_lesson_whole_and_no_other():
    text = format_summary(summarize(EVENTS))
    lines = text.splitlines()
    lesson = syllabus.lesson_of("amdahl")
    begin = lines.index(f"{lesson.title}  [#.....] 1 of 6")
    names = [line.split()[0] for line in lines[begin + 1 : begin + 1 + len(lesson.exercises)]]
    assert names == list(lesson.exercises)
    assert not any(line.startswith(syllabus.lesson_of("bandwidth").title) for line in lines)
    row = next(line for line in lines if line.startswith("  amdahl"))
    assert row.split() == ["amdahl", "4/4", "4", "2", "2026-03-02"]
    assert next(line for line in lines if "break-even" in line).split()[1:] == ["-", "0", "1"]
    gone = lines.index("No longer in the course")
    assert lines[gone + 1].split() == ["retired-exercise", "0/3", "1", "0"]
    assert lines[gone + 2].startswith("Total: 4 of 7 points on what you tried; 1 of the course's")
    assert lines[gone + 3] == "Predictions: none revealed yet"


def test_before_the_first_attempt_there_is_no_table():
    lines = format_summary(summarize([])).splitlines()
    assert lines[:2] == ["No exercise tried yet.", "Predictions: none revealed yet"]
    assert lines[2] == START[0]


def test_next_comes_in_the_lesson_that_was_worked_on_last():
    found = following(solved("memory", but="transpose"))
    assert (found.exercise, found.lesson.slug) == ("transpose", "memory")
    assert found.then == syllabus.next_lesson(found.lesson)
    assert [one.lesson.slug for one in found.then_builds_on] == list(found.then.needs)


def test_what_the_next_lesson_builds_on_is_told_with_how_much_of_it_is_done():
    first, then = next_lines(solved("first-kernels", "memory", but="blocks"))
    assert (
        first
        == "Next: `block-sum` in Cooperation. It builds on First kernels (5 of 6 solved), Memory (done)."
    )
    assert then.startswith("Then: Scans and races (")
    assert then.endswith("It builds on Cooperation (0 of 3 solved).")


def test_after_the_last_lesson_it_goes_on_with_what_was_left_out():
    found = following(solved("capstone"))
    assert (found.exercise, found.lesson.slug) == ("first-check", "welcome")


def test_the_last_lesson_has_none_after_it_and_in_the_end_nothing_is_next():
    every = [entry.slug for entry in syllabus.ready_lessons()]
    (line,) = next_lines(solved(*every, but="make-it-fast"))
    assert line.startswith("Next: `make-it-fast` in Capstone.")
    assert next_lines(solved(*every)) == ["You have solved all core exercises of the course."]


def test_in_a_notebook_it_is_a_table_with_bars_that_say_how_much_in_words_too():
    html = ProgressView(summarize(EVENTS))._repr_html_()
    assert '<span style="width:17%">' in html
    assert '<span class="count"> 1 of 6</span>' in html
    assert "<td>amdahl</td>" in html and "4/4" in html
    assert re.search(r"Next: <code>\w[\w-]+</code> in ", html)
    assert "`" not in html.split("</style>")[1]


def test_nothing_of_a_name_becomes_markup():
    summary = summarize(EVENTS)
    odd = tuple(replace(one, exercise="<b>x</b>") for one in summary.exercises[:1])
    html = ProgressView(replace(summary, exercises=odd))._repr_html_()
    assert "<b>" not in html


@pytest.mark.parametrize("width", [375, 1000])
def test_the_table_reads_in_a_narrow_window_too(chromium, width):
    page = chromium.new_page(viewport={"width": width, "height": 700})
    page.set_content(ProgressView(summarize(EVENTS))._repr_html_())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert "1 of 6" in page.locator(".gpuedu-progress").inner_text()
    page.close()
