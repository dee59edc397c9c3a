"""Known wrong answers of an exercise: mostly a line or two of the solution changed.

Those that are an edit of the solution are in one file, ``wrong.diff``, a block for each::

    == no_guard
    loses: inside
    asks: Which threads have no element?
    -    if i < out.size:
    -        out[i] = a * x[i] + y[i]
    +    out[i] = a * x[i] + y[i]

A block begins with a name. ``loses`` is the property that the answer loses, ``asks`` the question
on its card, if the property's own does not fit; ``like`` names another one that gives the same
result, and so asks the same. Lines with ``#`` are notes. Lines with ``-`` are taken out of the
solution, lines with ``+`` replace them, lines that begin with a space stay and show the place;
``@@`` separates one change from the next. A change must fit one place exactly.

Those that are not an edit are separate files, ``wrong/<name>.py``: statements to put below the
solution's, under the same entries as comments (``# loses: inside``), which may continue on further
lines (``#   ...``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuedu.errors import CatalogError

EDITS, WHOLE = "wrong.diff", "wrong"
_ENTRY = re.compile(r"(loses|asks|like): +(\S.*)")
_MARK = re.compile(r"\s*(// )?### (BEGIN|END) ")
_BLOCK, _NEXT = "== ", "@@"
_SIGNS = ("-", "+", " ")


@dataclass(frozen=True)
class Change:
    """Lines of the solution, and what replaces them."""

    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class StoredAnswer:
    """One known wrong answer: changes of the solution, or statements below it."""

    name: str
    loses: str
    asks: str = ""
    like: str = ""
    changes: tuple[Change, ...] = ()
    statements: str = ""

    def text(self, cells: Sequence[str]) -> str:
        """Statements that, below the solution's cells, turn it into this answer.

        Raises:
            CatalogError: A change matches no place in the solution, or several.
        """
        if not self.changes:
            return self.statements
        cells = [without_marks(cell) for cell in cells]
        changed = list(cells)
        for change in self.changes:
            at, first = self._place(change, changed)
            lines = changed[at].split("\n")
            lines[first : first + len(change.before)] = change.after
            changed[at] = "\n".join(lines)
        return "\n\n\n".join(_what_differs(cells, changed)) + "\n"

    def _place(self, change: Change, cells: Sequence[str]) -> tuple[int, int]:
        """The one cell, and the line in it, where a change fits."""
        places = [
            (at, first)
            for at, cell in enumerate(cells)
            for first in _starts(cell.split("\n"), change.before)
        ]
        if len(places) != 1:
            fits = "no place" if not places else f"{len(places)} places"
            raise CatalogError(
                f"wrong answer {self.name!r}: `{change.before[0].strip()}` and what follows "
                f"matches {fits} in the solution",
                remedy="make the lines with `-` or a space match exactly one place",
            )
        return places[0]


def without_marks(cell: str) -> str:
    """A cell without the lines that say where the solution begins and ends."""
    return "\n".join(line for line in cell.split("\n") if not _MARK.match(line))


def _starts(lines: Sequence[str], part: tuple[str, ...]) -> Iterator[int]:
    """Where a part begins in lines."""
    size = len(part)
    for first in range(len(lines) - size + 1):
        if tuple(lines[first : first + size]) == part:
            yield first


def _what_differs(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """The statements that the former cells do not have, and what is computed from those."""
    known = {ast.dump(node) for cell in before for node in ast.parse(cell).body}
    new: set[str] = set()
    for cell in after:
        lines = cell.split("\n")
        for node in ast.parse(cell).body:
            is_late = isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Expr))
            uses = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            if ast.dump(node) not in known or (uses & new and not is_late):
                new |= _bound_by(node)
                starts = [node.lineno, *(one.lineno for one in _decorators(node))]
                yield "\n".join(lines[min(starts) - 1 : node.end_lineno])


def _decorators(node: ast.stmt) -> Sequence[ast.expr]:
    return getattr(node, "decorator_list", ())


def _bound_by(node: ast.stmt) -> set[str]:
    """Names that a statement gives a value."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    return {
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }


def read_stored(folder: Path) -> Mapping[str, StoredAnswer]:
    """The known wrong answers in an exercise's judge folder, by name, in alphabetical order.

    Raises:
        CatalogError: One does not have this form, two have the same name, or ``like`` names none.
    """
    found: dict[str, StoredAnswer] = {}
    for answer in (*_read_edits(folder / EDITS), *map(_read_whole, (folder / WHOLE).glob("*.py"))):
        if answer.name in found:
            raise CatalogError(f"{folder}: a second wrong answer {answer.name!r}")
        found[answer.name] = answer
    for answer in found.values():
        if answer.like and answer.like not in found:
            raise CatalogError(f"wrong answer {answer.name!r}: there is no {answer.like!r}")
    return dict(sorted(found.items()))


def _read_whole(path: Path) -> StoredAnswer:
    """An answer that is no edit, from a file of its own."""
    lines = path.read_text("utf-8", errors="replace").split("\n")
    head = [line[2:] for line in lines[: _count(lines, "#")]]
    joined: list[str] = []
    for line in head:
        if line.startswith(" ") and joined:
            joined[-1] += f" {line.strip()}"
        else:
            joined.append(line)
    statements = "\n".join(lines[len(head) :])
    return StoredAnswer(path.stem, **_entries(joined, path.name), statements=statements)


def _count(lines: Sequence[str], begin: str) -> int:
    """How many lines at the top begin so."""
    return next((at for at, line in enumerate(lines) if not line.startswith(begin)), len(lines))


def _entries(lines: Iterable[str], where: str) -> dict[str, str]:
    """``loses`` and what else is said of an answer; other lines are notes."""
    found = {found[1]: found[2].strip() for line in lines if (found := _ENTRY.fullmatch(line))}
    if "loses" not in found:
        raise CatalogError(f"{where}: a line `loses: ` with the name of a property is missing")
    return found


def _read_edits(path: Path) -> Iterator[StoredAnswer]:
    if path.exists():
        for number, lines in _blocks(path.read_text("utf-8").splitlines()):
            yield _read_block(lines, f"{path.name}, line {number}")


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The lines of each block, and the number of its first one."""
    block: list[str] = []
    begin = 1
    for number, line in enumerate([*lines, _BLOCK], start=1):
        if not line.startswith(_BLOCK):
            block.append(line)
            continue
        if any(block):
            yield begin, block
        block, begin = [line], number


def _read_block(lines: Sequence[str], where: str) -> StoredAnswer:
    name = lines[0].removeprefix(_BLOCK).strip()
    if not (lines[0].startswith(_BLOCK) and name.isidentifier()):
        raise CatalogError(f"{where}: a wrong answer begins with `== ` and its name")
    is_code = [line.startswith(_SIGNS) or line == _NEXT for line in lines[1:]]
    first = 1 + (is_code.index(True) if True in is_code else len(is_code))
    code = "\n".join(lines[first:]).rstrip()
    changes = tuple(_changes(line or " " for line in code.split("\n")))
    if not code or not all(change.before for change in changes):
        raise CatalogError(
            f"{where}: below its entries {name!r} needs lines that begin with `-`, `+` or a "
            "space, and in each change at least one that is in the solution"
        )
    entries = _entries((line.removeprefix("# ") for line in lines[1:first]), f"{where}, {name}")
    return StoredAnswer(name, **entries, changes=changes)


def _changes(code: Iterable[str]) -> Iterator[Change]:
    before: list[str] = []
    after: list[str] = []
    for line in (*code, _NEXT):
        if line == _NEXT:
            yield Change(tuple(before), tuple(after))
            before, after = [], []
            continue
        if line[:1] in ("-", " "):
            before.append(line[1:])
        if line[:1] in ("+", " "):
            after.append(line[1:])
