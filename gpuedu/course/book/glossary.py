"""The glossary: every word that a lesson sets in bold where it says what the word means.

It is read from the lessons, so that a word has one definition, where it is first needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources

from gpuedu.syllabus import Lesson

_BOLD = re.compile(r"(?<![\w)])\*\*([^*]+)\*\*")
_CODE = re.compile(r"`[^`]*`")
_PARAGRAPHS = re.compile(r"\n\s*\n|\n(?=- |\d+\. )")
_SENTENCE_END = re.compile(r"(?<=[.?!:])\s+(?=[A-Z*`])")
_BACK = re.compile(
    r"\W*(This|That|That's|These|Those|It|It's|Such|Here|Its|So|But|They|There|Each of) "
)
_NO_NAMES = (".", "?", "!", ":", ",")
_LETTERS = 3
_STRESSED = frozenset(
    resources.files("gpuedu.course.book").joinpath("stressed.txt").read_text("utf-8").split()
)
"""Words in bold for stress alone."""


@dataclass(frozen=True)
class Term:
    """A word, the sentence that says what it is, and the lesson where that sentence is."""

    word: str
    sentence: str
    lesson: Lesson


def terms(texts: Iterable[tuple[Lesson, Iterable[str]]]) -> list[Term]:
    """The terms of lessons in alphabetical order, each from where it appears first.

    Args:
        texts: lessons in order, each with its text cells as Markdown.
    """
    found: dict[str, Term] = {}
    for lesson, cells in texts:
        for word, sentence in (one for cell in cells for one in _defined(cell)):
            found.setdefault(word.lower(), Term(word, sentence, lesson))
    return sorted(found.values(), key=lambda term: term.word.lower())


def _defined(text: str) -> Iterator[tuple[str, str]]:
    """Words in bold within a sentence, with the sentence; a paragraph's run-in title is none."""
    for paragraph in _PARAGRAPHS.split(text):
        if paragraph.lstrip().startswith(("#", "|", "```", "$$")):
            continue
        flowing = " ".join(paragraph.split()).removeprefix("- ")
        hidden = _CODE.sub(lambda code: "X" * len(code[0]), flowing)
        for match in _BOLD.finditer(hidden):
            word = flowing[slice(*match.span(1))]
            if match.start() and not _is_stress(word):
                yield word, flowing[_begin(hidden, match.start()) : _end(hidden, match.end())]


def _begin(text: str, at: int) -> int:
    """Where the sentence around a place begins; one before, where it points back to that."""
    begins = [0, *(found.end() for found in _SENTENCE_END.finditer(text, 0, at))]
    if len(begins) > 1 and _BACK.match(text, begins[-1]):
        return begins[-2]
    return begins[-1]


def _end(text: str, at: int) -> int:
    found = _SENTENCE_END.search(text, at)
    return found.start() if found else len(text)


def _is_stress(word: str) -> bool:
    return (
        word.endswith(_NO_NAMES)
        or len(word) < _LETTERS
        or "·" in word
        or word.lower().replace(" ", "-") in _STRESSED
    )
