"""Read a lesson's source: py:percent with short cell headers.

A header names the exercise a cell belongs to and its role: ``# %% exercise="saxpy" role="answer"``.
A text cell that begins with a ``## `` heading opens a section; the cells below belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpuedu.errors import LessonSourceError

ROLES = ("text", "setup", "given", "answer", "check", "predict", "code")
_ATTRIBUTES = {"exercise", "role", "was", "lines_to_next_cell"}
_HEADER = re.compile(r"^# %%")


@dataclass(frozen=True)
class SourceCell:
    """One cell: its text, role, the exercise it belongs to, and the line of its header."""

    text: str
    role: str
    line: int
    exercise: str = ""
    section: str = ""
    was: str = ""

    @property
    def is_code(self) -> bool:
        """Anything but text is code."""
        return self.role != "text"


@dataclass(frozen=True)
class LessonSource:
    """A lesson's cells in order, with the file they come from."""

    path: Path
    cells: tuple[SourceCell, ...]

    def fault(self, message: str, cell: SourceCell | None = None, remedy: str = "") -> Exception:
        """The error that points at a cell of this file."""
        line = cell.line if cell else 1
        return LessonSourceError(message, path=str(self.path), line=line, remedy=remedy)

    def exercise_ids(self) -> tuple[str, ...]:
        """Exercises in the order of their first cell."""
        return tuple(dict.fromkeys(cell.exercise for cell in self.cells if cell.exercise))

    def is_stretch(self, exercise: str) -> bool:
        """True if the line of an exercise's points says that it is optional."""
        return any(" points · stretch · " in cell.text for cell in self.cells_of(exercise, "text"))

    def cells_of(self, exercise: str, *roles: str) -> tuple[SourceCell, ...]:
        """The cells of an exercise that have one of these roles."""
        return tuple(c for c in self.cells if c.exercise == exercise and c.role in roles)


def read_source(path: Path) -> LessonSource:
    """Read and check a lesson's source; LessonSourceError names file, line and remedy."""
    import jupytext

    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as fault:
        raise LessonSourceError("no such lesson source", path=str(path)) from fault
    except UnicodeDecodeError as fault:
        raise LessonSourceError(
            f"not UTF-8: {fault.reason}", path=str(path), remedy="save the file as UTF-8"
        ) from fault
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _HEADER.match(line)]
    cells = jupytext.reads(text, fmt="py:percent").cells
    if not lines or len(lines) != len(cells):
        raise LessonSourceError(
            f"{len(lines)} cell headers but {len(cells)} cells",
            path=str(path),
            remedy="begin the file with a header (`# %% [markdown]`), with nothing above it",
        )
    return LessonSource(path, tuple(_read_cells(path, cells, lines)))


def _read_cells(path: Path, cells: list, lines: list[int]) -> Iterator[SourceCell]:
    section = exercise = ""
    for cell, line in zip(cells, lines, strict=True):
        unknown = sorted(set(cell.metadata) - _ATTRIBUTES)
        if unknown:
            raise LessonSourceError(
                f"unknown attribute {unknown[0]!r} in the cell's header",
                path=str(path),
                line=line,
                remedy="exercise, role, was",
            )
        role = _role(path, line, cell)
        heading = re.match(r"##? (.+)", cell.source) if role == "text" else None
        exercise_here = cell.metadata.get("exercise", "")
        if heading:
            exercise = exercise_here
            section = exercise or slug(heading.group(1))
        elif exercise_here:
            exercise = section = exercise_here
        was = cell.metadata.get("was", "")
        yield SourceCell(cell.source, role, line, exercise, section or "start", was)


def _role(path: Path, line: int, cell: dict) -> str:
    markdown = cell["cell_type"] == "markdown"
    role = cell["metadata"].get("role", "text" if markdown else "code")
    if role not in ROLES or (role == "text") != markdown:
        raise LessonSourceError(
            f"unknown role {role!r} for a {cell['cell_type']} cell",
            path=str(path),
            line=line,
            remedy=", ".join(ROLES[1:]) if not markdown else "leave the role of a text cell out",
        )
    return role


def slug(heading: str) -> str:
    """A heading as part of a cell's id.

    >>> slug("What you *measured*: 3 facts")
    'what-you-measured-3-facts'
    """
    return "-".join(re.findall(r"[a-z0-9]+", heading.lower()))[:40].strip("-") or "section"
