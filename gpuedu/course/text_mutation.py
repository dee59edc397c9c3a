"""Single-edit mutants of a text that is an answer: a Dockerfile, a batch script, a manifest.

Such a text is in a string, and the part that the learner writes begins with the comment ``# ###
BEGIN SOLUTION``. Whatever language it is in, people leave out a line, write two in the wrong order,
or get a number or one of several words wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_PART = re.compile(r"# ### BEGIN SOLUTION\n(.*?)# ### END SOLUTION", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])\d+(?!\w|\.\d)")
_WORDS = {"true": "false", "false": "true", ">": "<", "<": ">", "&&": ";", "and": "or", "or": "and"}
_WORD = re.compile(r"(?<!\S)[\w<>&]+(?!\S)")


def is_text_answer(value: object) -> bool:
    """Whether it is a text with lines that a learner writes."""
    return isinstance(value, str) and _PART.search(value) is not None


def text_edits(text: str) -> Iterator[tuple[str, str, str]]:
    r"""Every edit of the learner's part: what it replaces, with what, and the whole edited text.

    A line includes those below it that are indented further, or that it continues into by a
    backslash; it is swapped with the next line of the same indentation.

    >>> text = "# ### BEGIN SOLUTION\nRUN a\nSTEP 2\n# ### END SOLUTION\n"
    >>> [f"{before} -> {after}" for before, after, _ in text_edits(text)]
    ['RUN a -> nothing', 'RUN a -> after the next', 'STEP 2 -> nothing', 'STEP 2 -> STEP 3',
     'STEP 2 -> STEP 1']
    """
    for part in _PART.finditer(text):
        lines = part[1].splitlines(keepends=True)
        for before, after, edited in _edits(lines):
            yield before, after, text[: part.start(1)] + "".join(edited) + text[part.end(1) :]


def _edits(lines: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    for first, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith("# "):
            continue
        last = _end_of(lines, first)
        told = line.strip()
        yield told, "nothing", [*lines[:first], *lines[last:]]
        if last < len(lines) and _indent(lines[last]) == _indent(line) and lines[last].strip():
            after = _end_of(lines, last)
            moved = [*lines[:first], *lines[last:after], *lines[first:last], *lines[after:]]
            yield told, "after the next", moved
        for new in _edits_of_line(line):
            yield told, new.strip(), [*lines[:first], new, *lines[first + 1 :]]


def _end_of(lines: list[str], first: int) -> int:
    """The index after the last line that belongs to one."""
    last = first + 1
    while last < len(lines) and (
        lines[last - 1].rstrip().endswith("\\")
        or (lines[last].strip() and _indent(lines[last]) > _indent(lines[first]))
    ):
        last += 1
    return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _edits_of_line(line: str) -> Iterator[str]:
    for found in _NUMBER.finditer(line):
        for value in (int(found[0]) + 1, int(found[0]) - 1):
            yield line[: found.start()] + str(value) + line[found.end() :]
    for found in _WORD.finditer(line):
        if found[0] in _WORDS:
            yield line[: found.start()] + _WORDS[found[0]] + line[found.end() :]
