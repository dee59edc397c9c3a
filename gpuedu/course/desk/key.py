"""The answer key of a lesson: a solution of each exercise, what is checked, common mistakes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuedu.course.book.exercise_list import Listed, listed
from gpuedu.course.desk.choices import Choice, choices_for
from gpuedu.course.desk.page import render, write
from gpuedu.course.desk.prose import labeled_blocks, sentence, without_heading
from gpuedu.course.proof import Bench
from gpuedu.course.stored import StoredAnswer, without_marks
from gpuedu.exercises.contract import Judge, Prediction, Property
from gpuedu.exercises.predictions import with_unit
from gpuedu.syllabus import Lesson

_KEPT, _OUT, _IN = "  ", "- ", "+ "
_SHOWN_LATER = ("See", "Step")
_CONTEXT = 1
_GAP = "..."


@dataclass(frozen=True)
class Mistake:
    """A known wrong answer: what is changed, and what is asked about it.

    ``lines`` are those of a small diff, each with its sign, or of the whole answer, with a space.
    ``is_own``: the question is about this mistake; else it is the one of the property.
    """

    name: str
    lines: tuple[tuple[str, str], ...]
    asks: str
    is_own: bool


@dataclass(frozen=True)
class Revealed:
    """A prediction with its truth, why it is so, and wrong answers to it."""

    key: str
    question: str
    truth: str
    because: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class KeyEntry:
    """One exercise in a key."""

    listed: Listed
    task: str
    solution: tuple[str, ...]
    judge: Judge
    predictions: tuple[Revealed, ...]
    mistakes: Mapping[str, Sequence[Mistake]]


def write_key(root: Path, lesson: Lesson, path: Path) -> Path:
    """Write the key of a lesson, as one page.

    Raises:
        GpueduError: the page cannot be written.
    """
    return write(path, render("key.html.j2", lesson=lesson, entries=entries(root, lesson)))


def entries(root: Path, lesson: Lesson) -> list[KeyEntry]:
    """The exercises of a lesson in the order of its source."""
    return [_entry(Bench(root, one.id), one) for one in listed(root, lesson)]


def _entry(bench: Bench, announced: Listed) -> KeyEntry:
    judge = bench.exercise.judge
    texts = [without_heading(cell.text) for cell in bench.source.cells_of(bench.id, "text")]
    cells = bench.source.cells_of(bench.id, "answer")
    return KeyEntry(
        announced,
        "\n\n".join(_what_is_asked(texts)),
        tuple(without_marks(cell.text) for cell in cells),
        judge,
        tuple(_revealed(key, one) for key, one in judge.predictions.items()),
        mistakes(bench),
    )


def _what_is_asked(texts: Iterable[str]) -> Iterator[str]:
    """The texts of an exercise, without those on pictures of what was answered."""
    for text in texts:
        for label, block in labeled_blocks(text):
            if label not in _SHOWN_LATER:
                yield block


def _revealed(key: str, prediction: Prediction) -> Revealed:
    truth = prediction.truth
    shown = "what you measure" if truth is None else with_unit(truth, prediction)
    wrong = tuple(one for one in choices_for(key, prediction) if one.how and not one.is_true)
    return Revealed(key, sentence(prediction.question), shown, prediction.because, wrong)


def mistakes(bench: Bench) -> dict[str, list[Mistake]]:
    """The known wrong answers of an exercise, by what the property says that they lose."""
    known = bench.stored_wrong()
    found: dict[str, list[Mistake]] = {}
    for lost in bench.exercise.judge.properties:
        theirs = [one for one in known.values() if one.loses == lost.name]
        if theirs:
            found[lost.says] = [_mistake(one, known, lost) for one in theirs]
    return found


def _mistake(stored: StoredAnswer, known: Mapping[str, StoredAnswer], lost: Property) -> Mistake:
    like = known[stored.like].asks if stored.like else ""
    own = stored.asks or like
    name = stored.name.replace("_", " ")
    return Mistake(name, tuple(changed_lines(stored)), own or lost.asks, bool(own))


def changed_lines(stored: StoredAnswer) -> list[tuple[str, str]]:
    """The lines of a wrong answer with their signs; what stays is told where it borders a change.

    >>> from gpuedu.course.stored import Change
    >>> edit = Change(("i = 0", "x = 1", "y = 2"), ("i = 0", "x = 1", "y = 3"))
    >>> changed_lines(StoredAnswer("three", "right", changes=(edit,)))
    [(' ', '...'), (' ', 'x = 1'), ('-', 'y = 2'), ('+', 'y = 3')]
    """
    if not stored.changes:
        return [(" ", line) for line in stored.statements.strip("\n").split("\n")]
    found: list[tuple[str, str]] = []
    for number, change in enumerate(stored.changes):
        if number:
            found.append((" ", _GAP))
        lines = [
            line
            for line in difflib.ndiff(change.before, change.after)
            if line.startswith((_KEPT, _OUT, _IN))
        ]
        found += _near_changes(lines)
    return found


def _near_changes(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Changed lines and those beside them, with a mark where lines are left out."""
    changed = [at for at, line in enumerate(lines) if not line.startswith(_KEPT)]
    found: list[tuple[str, str]] = []
    last = -1
    for at, line in enumerate(lines):
        if any(abs(at - place) <= _CONTEXT for place in changed):
            if at > last + 1:
                found.append((" ", _GAP))
            found.append((line[0], line[len(_KEPT) :]))
            last = at
    return found
