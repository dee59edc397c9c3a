"""Which of the learner's cells is which cell of the course (pure).

A *slot* is one cell of the course through time: as it was released to this workspace (base) and as
the new release has it. Each slot takes at most one of the learner's cells.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gpuedu.course.workspace.nodes import NotebookNode

LEARNERS_ROLES = ("answer", "predict")
_DEFINED = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)", re.MULTILINE)
_ASSIGNED = re.compile(r"^([^\W\d]\w*)\s*(?::[^=\n]+)?=(?!=)", re.MULTILINE)
_KEPT = 8_192
"""Sources of which it is known what they define: each cell is compared with many others."""
_MOST_NAMES = 1_000
"""Of one cell: whatever has more is no answer, and sets of millions would be compared."""
_PREDICTED = re.compile(r"\bpredict\(\s*[\"']([\w-]+)")


@dataclass(frozen=True, eq=False)
class Slot:
    """One cell of the course; ``base`` or ``release`` is None if it did not or does not exist.

    ``position`` is its place in the base notebook, or in the release if there is no base.
    """

    base: NotebookNode | None
    release: NotebookNode | None
    position: int | None = None

    @property
    def known(self) -> NotebookNode:
        """The cell the learner started from, as far as it is known."""
        return self.base if self.base is not None else self.release


@lru_cache(maxsize=_KEPT)
def plain(source: str) -> str:
    r"""Source without what editors change on their own: line ends and trailing white space.

    >>> plain("x = 1  \r\n\n") == plain("x = 1")
    True
    """
    return "\n".join(line.rstrip() for line in source.splitlines()).rstrip()


def is_same(one: NotebookNode, other: NotebookNode) -> bool:
    """Whether two cells say the same, white space at the ends of lines aside."""
    return one.source == other.source or plain(one.source) == plain(other.source)


def role(cell: NotebookNode) -> str:
    """The cell's role in the course, "" for a cell that is not the course's."""
    return _entry(cell, "gpuedu").get("role", "")


def grade_id(cell: NotebookNode) -> str:
    """Name of the cell in nbgrader, or ""."""
    found = _entry(cell, "nbgrader").get("grade_id", "")
    return found if isinstance(found, str) else ""


def former_ids(cell: NotebookNode) -> tuple[str, ...]:
    """Ids that the cell had in earlier releases."""
    return tuple(_entry(cell, "gpuedu").get("was", ()))


def _entry(cell: NotebookNode, key: str) -> dict:
    found = cell.metadata.get(key)
    return found if isinstance(found, dict) else {}


@lru_cache(maxsize=_KEPT)
def names(source: str) -> frozenset[str]:
    r"""What identifies an answer: what its top-level code defines or predicts, otherwise assigns.

    The code need not parse.

    >>> sorted(names('k = 1\ndef amdahl(p):\n    return (\nclass Model: ...\npredict("gap", 3)'))
    ['Model', 'amdahl', 'gap']
    >>> sorted(names('chains: dict = {\n    "blur": ...}'))
    ['chains']
    """
    return _found(_DEFINED, source) | _found(_PREDICTED, source) or assigned(source)


@lru_cache(maxsize=_KEPT)
def assigned(source: str) -> frozenset[str]:
    """What its top-level code assigns."""
    return _found(_ASSIGNED, source)


def _found(pattern: re.Pattern[str], source: str) -> frozenset[str]:
    named = (match[1] for match in pattern.finditer(source))
    return frozenset(itertools.islice(named, _MOST_NAMES))


def forget() -> None:
    """Drop the sources that are cached with what was found in them."""
    for kept in (plain, names, assigned):
        kept.cache_clear()


def slots(base: Sequence[NotebookNode] | None, release: Sequence[NotebookNode]) -> tuple[Slot, ...]:
    """The slots in the release's order, then those that the release removed in the base's order."""
    if base is None:
        return tuple(Slot(None, cell, place) for place, cell in enumerate(release))
    linked: dict[int, int] = {}
    for same_cell in (
        lambda new, old: old.id == new.id,
        lambda new, old: old.id in former_ids(new),
        lambda new, old: grade_id(new) != "" and grade_id(new) == grade_id(old),
    ):
        for place, new in enumerate(release):
            taken = linked.values()
            found = (i for i, old in enumerate(base) if i not in taken and same_cell(new, old))
            if place not in linked and (at := next(found, None)) is not None:
                linked[place] = at
    live = tuple(
        Slot(base[linked[place]], cell, linked[place]) if place in linked else Slot(None, cell)
        for place, cell in enumerate(release)
    )
    removed = (Slot(old, None, i) for i, old in enumerate(base) if i not in linked.values())
    return (*live, *removed)


def match(mine: Sequence[NotebookNode], course: Sequence[Slot]) -> dict[int, int]:
    """Index of a learner's cell -> index of its slot.

    By id, then by an earlier id; then, if a tool dropped or redrew ids, by nbgrader's grade_id, by
    the text that was released, by the names an answer defines, and by its place.
    """
    found: dict[int, int] = {}
    for own_id, ids in itertools.product((_id, _colab_id), (_base_id, _release_id, _former_ids)):
        _match_by(found, mine, course, lambda slot, cell, a=own_id, b=ids: a(cell) in b(slot))
    ids_are_lost = not found and any(slot.release is not None for slot in course)
    _match_by(found, mine, course, lambda slot, cell: grade_id(cell) in _grade_ids(slot))

    def says_the_same(slot: Slot, cell: NotebookNode) -> bool:
        # A copy of a removed cell is not that cell, as long as ids can tell them apart.
        usable = slot.position is not None and (slot.release is not None or ids_are_lost)
        return usable and slot.known.cell_type == cell.cell_type and is_same(slot.known, cell)

    _match_by(found, mine, course, says_the_same)
    _match_by(found, mine, course, _defines_the_same)
    _match_by(found, mine, course, _defines_more)
    if ids_are_lost:
        _match_by_place(found, mine, course)
    return found


def _id(cell: NotebookNode) -> object:
    return cell.get("id")


def _colab_id(cell: NotebookNode) -> object:
    return cell.metadata.get("id")  # where Colab moves a cell's id


def _base_id(slot: Slot) -> tuple[str, ...]:
    return (slot.base.id,) if slot.base is not None else ()


def _release_id(slot: Slot) -> tuple[str, ...]:
    return (slot.release.id,) if slot.release is not None else ()


def _former_ids(slot: Slot) -> tuple[str, ...]:
    return former_ids(slot.release) if slot.release is not None else ()


def _grade_ids(slot: Slot) -> set[str]:
    cells = (slot.base, slot.release)
    return {grade_id(cell) for cell in cells if cell is not None} - {""}


def _defined(slot: Slot) -> frozenset[str]:
    is_answer = slot.release is not None and role(slot.release) in LEARNERS_ROLES
    return names(slot.known.source) if is_answer and slot.position is not None else frozenset()


def _defines_the_same(slot: Slot, cell: NotebookNode) -> bool:
    wanted = _defined(slot)
    return cell.cell_type == "code" and bool(wanted) and wanted == names(cell.source)


def _defines_more(slot: Slot, cell: NotebookNode) -> bool:
    wanted = _defined(slot)
    if cell.cell_type != "code" or not wanted:
        return False
    return wanted <= names(cell.source) | assigned(cell.source)


def _match_by(
    found: dict[int, int],
    mine: Sequence[NotebookNode],
    course: Sequence[Slot],
    fits: Callable[[Slot, NotebookNode], bool],
) -> None:
    """Add matches to ``found``; of several fitting cells the first that the learner edited."""
    taken = set(found.values())
    for number, slot in enumerate(course):
        if number in taken:
            continue
        fitting = [i for i, cell in enumerate(mine) if i not in found and fits(slot, cell)]
        if fitting:
            edited = (i for i in fitting if _is_edited(slot, mine[i]))
            found[next(edited, fitting[0])] = number


def _is_edited(slot: Slot, cell: NotebookNode) -> bool:
    return not any(is_same(cell, old) for old in (slot.base, slot.release) if old is not None)


def _match_by_place(
    found: dict[int, int], mine: Sequence[NotebookNode], course: Sequence[Slot]
) -> None:
    """An answer without any name: the only unknown cell between its two neighbors."""
    in_base = [n for n, slot in enumerate(course) if slot.position is not None]
    in_base.sort(key=lambda number: course[number].position)
    where = {number: i for i, number in found.items()}
    for place, number in enumerate(in_base):
        release = course[number].release
        if number in where or release is None or role(release) not in LEARNERS_ROLES:
            continue
        before = where.get(in_base[place - 1]) if place else -1
        is_last = place + 1 == len(in_base)
        after = len(mine) if is_last else where.get(in_base[place + 1])
        if before is None or after is None or after - before != 2:
            continue
        if before + 1 not in found and mine[before + 1].cell_type == release.cell_type:
            found[before + 1] = number
            where[number] = before + 1
