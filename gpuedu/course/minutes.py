"""How long a lesson takes: a rule for what its author states, and the sum.

An exercise takes eight minutes to find your way into, run and look back on, one more for each 40
words that explain it, and one for each four lines of its answer. Its author may state a fifth less
if the text is for looking things up, or half as much again if the thinking takes longer than the
reading. Text outside the exercises is read at 100 words a minute, figures included; sources are not
counted.
"""

from __future__ import annotations

import math
import re

from gpuedu.course.source import LessonSource

LONGEST = 120
"""Minutes of a lesson: an evening's work."""
_BASE, _WORDS, _LINES = 8, 40, 4
_READ_WORDS = 100
_SHORTER, _LONGER = 0.8, 1.5
_STATED = re.compile(r"about (\d+) minutes\*\*")
_ANSWER = re.compile(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", re.DOTALL)


def stated_minutes(source: LessonSource, exercise: str) -> int:
    """What the line of an exercise's points says; 0 if it says nothing."""
    for cell in source.cells_of(exercise, "text"):
        found = _STATED.search(cell.text)
        if found:
            return int(found.group(1))
    return 0


def minutes_allowed(source: LessonSource, exercise: str) -> tuple[int, int]:
    """The fewest and the most minutes that may be stated for an exercise, by this module's rule."""
    words = sum(len(cell.text.split()) for cell in source.cells_of(exercise, "text"))
    code = [cell.text for cell in source.cells_of(exercise, "answer")]
    answers = [part for text in code for part in _ANSWER.findall(text)]
    lines = sum(bool(line.strip()) for part in answers for line in part.splitlines())
    by_rule = _BASE + words / _WORDS + lines / _LINES
    return math.floor(_SHORTER * by_rule), math.ceil(_LONGER * by_rule)


def lesson_minutes(source: LessonSource) -> int:
    """Minutes of a lesson: its core exercises and its text, rounded up to the next five."""
    core = [name for name in source.exercise_ids() if not source.is_stretch(name)]
    words = sum(
        len(cell.text.split())
        for cell in source.cells
        if not (cell.is_code or cell.exercise or cell.section == "sources")
    )
    whole = sum(stated_minutes(source, name) for name in core) + words / _READ_WORDS
    return 5 * math.ceil(whole / 5)
