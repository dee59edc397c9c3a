"""What a learner is told about a verdict: properties and causes, nothing about hidden cases.

Whatever a learner's code says, it may say of the inputs that it has seen, in letters as well as in
numbers. So nothing is shown but the course's own words.
"""

from __future__ import annotations

import ast
import builtins
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from gpuedu import exercises
from gpuedu.exercises.card import Card, Line
from gpuedu.exercises.mistakes import FILE
from gpuedu.exercises.registry import load, package_of

_RAISED = re.compile(r"it raised (\w+)")
_LATE = "your cells did not finish"
_RUN_THEM = "Run your cells, and the check below them, in your notebook: it says more."
_SENTENCE = 20
"""Characters of a text that may be shown: a word says nothing by itself."""
_SHARED = (".", "arrays", "kernels", "ranks", "training")
"""Folders of what several lessons share, beside an exercise's own and its lesson's."""


def feedback_card(exercise: Mapping[str, Any]) -> Card:
    """The card of one exercise, from its part of a verdict's file.

    Counterexamples, and what the learner's code printed or raised, are left out: they would reveal
    the inputs that the next submission will be tried on.
    """
    heading = f"{exercise['id']}: {exercise['points']:g} of {exercise['max_points']:g}"
    state = exercise["state"]
    if state == "unsolved":
        return Card(heading, state, paragraphs=("The placeholder `...` is still there.",))
    if state == "refused":
        text = f"Not judged: {_why_refused(exercise['refusal'])}."
        return Card(heading, state, paragraphs=(text,), next=_RUN_THEM)
    lines = tuple(_line(one, exercise["id"]) for one in exercise["properties"])
    return Card(heading, state, lines=lines)


def _why_refused(told: str) -> str:
    """The kind of a refusal, from what may be a learner's own text.

    >>> _why_refused("it raised ValueError: the first n is 4711, on line 3 of its cell")
    'your cells raised a ValueError'
    """
    raised = _RAISED.match(told)
    kind = getattr(builtins, raised[1], None) if raised else None
    if isinstance(kind, type) and issubclass(kind, BaseException):
        return f"your cells raised a{'n' * (raised[1][0] in 'AEIOU')} {raised[1]}"
    if told.startswith(_LATE):
        return f"{_LATE} in time"
    return "your cells cannot be run, or the answers are not of the kind that is asked for"


def _line(prop: Mapping[str, Any], exercise: str) -> Line:
    points = f"{prop['points']:g} {'point' if prop['points'] == 1 else 'points'}"
    if prop["holds"]:
        return Line("✓", f"{prop['says']}: yes ({points})")
    return Line(
        "✗",
        f"{prop['says']}: no ({points})",
        strong=True,
        why="It does not hold on a hidden case.",
        cause=_asked(prop, exercise),
    )


def _asked(prop: Mapping[str, Any], exercise: str) -> str:
    """A cause as it is, if the course has it word for word; else what the property itself asks."""
    asks = {one.name: one.asks for one in load(exercise).judge.properties}.get(prop["name"], "")
    if prop["cause"] in ("", asks) or prop["cause"] in _own_words(exercise):
        return prop["cause"]
    return asks


@cache
def _own_words(exercise: str) -> frozenset[str]:
    """All texts in the sources of an exercise, and in what it shares with others, but docstrings.

    Of many sentences one can be chosen that stands for what was seen.
    """
    course = Path(exercises.__file__).parent
    own = course.joinpath(*package_of(exercise).split(".")[2:])
    known = json.loads((own / "judge" / FILE).read_text("utf-8"))["mistakes"].values()
    sources = [*own.parent.rglob("*.py"), *(course / one for one in _SHARED)]
    return frozenset({one["asks"] for one in known} | set(_texts_in(sources)))


def _texts_in(places: Iterable[Path]) -> Iterator[str]:
    files = (one.glob("*.py") if one.is_dir() else [one] for one in places)
    for path in {one for found in files for one in found}:
        tree = ast.parse(path.read_text("utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) and id(node) not in docs else None
            if isinstance(text, str) and len(text) >= _SENTENCE:
                yield text
