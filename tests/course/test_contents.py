"""What the syllabus takes from a lesson's text: above all which other lessons it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuedu.course.contents import SYLLABUS, needs_of, syllabus_text
from gpuedu.course.source import read_source
from gpuedu.errors import CatalogError, LessonSourceError
from gpuedu.syllabus import lessons

TITLES = {entry.title: entry for entry in lessons()}
SOURCE = """\
# %% [markdown]
# # A question?
#
# This is not like *Tiling*.
#
# **You need** {needs}

# %% [markdown] exercise="first-check"
# ## How a check works
#
# **`first-check` · 2 points · stretch · about 7 minutes**
"""
ROW = """
[[lesson]]
slug = "{slug}"
title = "{title}"
question = "A?"
minutes = 0
memory_mb = 100
gains = "nothing"
ready = true
core = []
stretch = []
"""


def needs(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "lesson.py"
    path.write_text(SOURCE.replace("{needs}", text), "utf-8")
    return [entry.slug for entry in needs_of(read_source(path), TITLES)]


def test_lessons_are_named_by_their_titles_in_emphasis(tmp_path):
    said = "banks from *Memory*, and *First kernels*.\n# **Time** 5 minutes, as *Cooperation*."
    assert needs(tmp_path, said) == ["first-kernels", "memory"]


def test_a_title_may_go_over_the_end_of_a_line(tmp_path):
    assert needs(tmp_path, "gradients, from *The\n# training step*.") == ["training-step"]


def test_what_follows_the_paragraph_does_not_count(tmp_path):
    assert needs(tmp_path, "Python.\n#\n# As in *Memory*, wait.") == []


def test_a_name_that_no_lesson_has_is_refused(tmp_path):
    with pytest.raises(LessonSourceError, match=r"lesson.py:1: .*\*Momery\*, which is no lesson"):
        needs(tmp_path, "*Momery*.")


@pytest.fixture
def course(tmp_path):
    """A course of two lessons; the first has the paragraph that is given."""

    def write(text: str) -> Path:
        path = tmp_path / SYLLABUS
        path.parent.mkdir(exist_ok=True)
        rows = ROW.format(slug="one", title="One") + ROW.format(slug="two", title="Two")
        path.write_text(rows, "utf-8")
        for folder, said in (("00_one", text), ("01_two", "*One*.")):
            (tmp_path / "solutions" / folder).mkdir(parents=True, exist_ok=True)
            source = SOURCE.replace("{needs}", said)
            (tmp_path / "solutions" / folder / f"{folder}.py").write_text(source, "utf-8")
        return tmp_path

    return write


def test_needs_and_stretch_minutes_are_written_once(course, monkeypatch):
    monkeypatch.setattr("gpuedu.course.contents.parse", lambda text: _unique(text))
    root = course("Python.")
    text = syllabus_text(root)
    assert text.count("needs = []") == 1 and text.count('needs = ["one"]') == 1
    assert text.count("stretch_minutes = 7") == 2
    (root / SYLLABUS).write_text(text, "utf-8")
    assert syllabus_text(root) == text


def test_a_lesson_that_needs_a_later_one_is_refused(course, monkeypatch):
    monkeypatch.setattr("gpuedu.course.contents.parse", lambda text: _unique(text))
    with pytest.raises(CatalogError, match="lesson 'one' needs 'two', which is not before it"):
        syllabus_text(course("*Two*."))


def _unique(text: str):
    """The lessons, though both have the same exercise."""
    from gpuedu.syllabus import parse

    head, found, tail = text.rpartition('["first-check"]')
    return parse(f'{head}["second"]{tail}' if found else text)


def test_the_committed_syllabus_says_what_the_texts_say(root):
    assert (root / SYLLABUS).read_text("utf-8") == syllabus_text(root)
