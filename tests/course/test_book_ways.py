"""The book's page of ways: all of them, what builds on what, and links to pages that are there."""

from __future__ import annotations

import re

from gpuedu.course.book import site
from gpuedu.course.plan_text import duration
from gpuedu.syllabus import lesson, parts, ready_lessons, ways


def page(tmp_path, lessons) -> str:
    values = {**site.ways_values(), "lessons": lessons, "parts": parts()}
    site._render(tmp_path, "ways.md", values)
    return (tmp_path / "ways.md").read_text("utf-8")


def test_every_way_is_there_with_its_lessons_minutes_and_memory(tmp_path):
    text = page(tmp_path, ready_lessons())
    for one in ways():
        section = text.split(f"\n## {one.title}\n")[1].split("\n## ")[0]
        listed = re.findall(
            r"^\d+\. \[(.+?)\]\(lessons/\w+\.md\) \*(\d+) minutes\*$", section, re.M
        )
        assert listed == [(entry.title, str(entry.minutes)) for entry in one.lessons]
        assert f"\n{len(one.lessons)} lessons, {duration(one.minutes)}; a seat" in section
        assert f"{one.memory_mb:,} MB" in section
        assert (
            section.count(f"**{one.unit.capitalize()} ")
            == (len(one.sessions) if len(one.sessions) > 1 else 0)
            or not one.unit
        )


def test_each_lesson_says_what_it_builds_on_and_what_builds_on_it(tmp_path):
    text = page(tmp_path, ())
    assert "- Tiling builds on First kernels, Memory; Registers, " in text
    assert "- Serving builds on Choose hardware, Inference.\n" in text
    assert len(re.findall(r"^- .+ builds? on", text, re.M)) == len(ready_lessons())


def test_only_pages_of_the_book_are_linked(tmp_path):
    text = page(tmp_path, (lesson("memory"),))
    assert set(re.findall(r"\]\(([^)]+)\)", text)) == {"lessons/04_memory.md"}
