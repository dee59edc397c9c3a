"""Three-way merge of notebooks: a new release into a learner's notebook (pure).

Base is what was released to this workspace, theirs the new release, mine the learner's notebook.
The course's cells come in the release's order, with its ids and its course metadata. Whatever the
learner wrote is in the result: in its cell, or in a separate cell.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields

from gpuedu.course.workspace import matching
from gpuedu.course.workspace.matching import LEARNERS_ROLES, Slot, is_same
from gpuedu.course.workspace.nodes import NotebookNode, from_dict

BEFORE_UPDATE = "Your version from before the update:"
NO_LONGER_THERE = "This cell left the lesson with an update. It stays because you changed it:"

_COURSE_KEYS = ("gpuedu", "nbgrader")
# On a copy of a course cell these would keep its owner from changing or deleting it.
_LOCKS = ("deletable", "editable")
_KERNEL_KEYS = ("kernelspec", "language_info")
_VALID_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TOP = -1


@dataclass(frozen=True)
class Counts:
    """What a merge did, in cells.

    ``answers_kept``: answers and predictions that differ from what was released; ``edits_kept``:
    cells of the course that the learner changed; ``extras_kept``: the learner's own cells and the
    versions kept beside a new one; ``restored``: deleted by the learner, laid out again.
    """

    answers_kept: int = 0
    edits_kept: int = 0
    extras_kept: int = 0
    added: int = 0
    updated: int = 0
    removed: int = 0
    restored: int = 0

    def __add__(self, other: Counts) -> Counts:
        """The sum, field by field."""
        names = [field.name for field in fields(self)]
        return Counts(**{name: getattr(self, name) + getattr(other, name) for name in names})

    def kept(self) -> Counts:
        """Only what the learner wrote."""
        return Counts(self.answers_kept, self.edits_kept, self.extras_kept)


@dataclass(frozen=True)
class Merged:
    """The merged notebook. ``to_review``: answers kept although the release changed their task."""

    notebook: NotebookNode
    counts: Counts
    to_review: tuple[str, ...] = ()


def merge(base: NotebookNode | None, mine: NotebookNode, theirs: NotebookNode) -> Merged:
    """Bring a release into a learner's notebook; the arguments stay as they are.

    ``mine`` may lack ids or have them twice; ``base`` is None if it was lost; then every cell that
    differs from the release counts as edited. Merging the result again changes nothing.
    """
    course = matching.slots(None if base is None else base.cells, theirs.cells)
    matched = matching.match(mine.cells, course)
    place_of = {number: i for i, number in matched.items()}
    tally: Counter[str] = Counter()
    own = _own_cells(mine.cells, course, matched, tally)
    course_cells, extras, to_review = [], list(own[_TOP]), []
    laid = list(extras)
    for number, slot in enumerate(course):
        if slot.release is None:
            continue
        found = mine.cells[place_of[number]] if number in place_of else None
        event, cell, kept = _settle(slot, found, has_base=base is not None)
        tally[event] += 1
        course_cells.append(cell)
        extras += [*kept, *own[number]]
        laid += [cell, *kept, *own[number]]
        if event == "answers_kept" and slot.base is not None:
            to_review += [] if is_same(slot.base, slot.release) else [_title(slot.release)]
    tally["extras_kept"] = len(extras)
    _give_ids(extras, {cell.id for cell in course_cells}, _course_ids(course))
    metadata = _notebook_metadata(base, mine, theirs)
    merged = NotebookNode(nbformat=4, nbformat_minor=5, metadata=metadata, cells=laid)
    counts = {field.name: tally[field.name] for field in fields(Counts)}
    return Merged(merged, Counts(**counts), tuple(to_review))


def _own_cells(
    mine: Sequence[NotebookNode],
    course: Sequence[Slot],
    matched: dict[int, int],
    tally: Counter[str],
) -> defaultdict[int, list[NotebookNode]]:
    """The learner's own cells, by the slot of the surviving cell that each one follows."""
    own: defaultdict[int, list[NotebookNode]] = defaultdict(list)
    anchor = _TOP
    for place, cell in enumerate(mine):
        slot = course[matched[place]] if place in matched else None
        if slot is None:
            own[anchor].append(_as_own(cell))
        elif slot.release is not None:
            anchor = matched[place]
        else:
            tally["removed"] += 1
            if not is_same(slot.base, cell):
                own[anchor] += _kept_beside(cell, NO_LONGER_THERE)
    return own


def _settle(
    slot: Slot, mine: NotebookNode | None, *, has_base: bool
) -> tuple[str, NotebookNode, list[NotebookNode]]:
    """What happened, the slot's cell, and the learner's version where it stays beside it."""
    base, release = slot.base, slot.release
    if mine is None:
        is_restored = has_base and base is not None
        return "restored" if is_restored else "added", from_dict(release), []
    if is_same(mine, release):
        return "as_released", _in_place(slot, mine, mine.source), []
    if base is not None and is_same(mine, base):
        return "updated", _in_place(slot, mine, release.source), []
    # An answer that became a given cell, or the reverse, is another cell: no answer to it exists.
    known = [cell for cell in (base, release) if cell is not None]
    if all(matching.role(cell) in LEARNERS_ROLES for cell in known):
        return "answers_kept", _in_place(slot, mine, mine.source), []
    if base is not None and is_same(base, release):
        return "edits_kept", _in_place(slot, mine, mine.source), []
    kept = _kept_beside(mine, BEFORE_UPDATE)
    return "updated", _in_place(slot, mine, release.source), kept


def _in_place(slot: Slot, mine: NotebookNode, source: str) -> NotebookNode:
    """The release's cell with this source; the learner's outputs where it is what they ran."""
    cell = from_dict(slot.release)
    former = slot.base.metadata if slot.base is not None else {}
    cell.metadata = _with_learners(cell.metadata, mine.metadata, former)
    cell.source = source
    if source != mine.source:
        return cell
    if cell.cell_type == mine.cell_type == "code":
        cell.outputs = from_dict(mine.outputs)
        cell.execution_count = mine.execution_count
    elif cell.cell_type != "code" and mine.get("attachments"):
        cell.attachments = from_dict({**cell.get("attachments", {}), **mine.attachments})
    return cell


def _with_learners(theirs: NotebookNode, mine: NotebookNode, former: dict) -> NotebookNode:
    """The release's metadata, with what the learner's tools added (a folded cell, timings)."""
    added = {
        key: value
        for key, value in mine.items()
        if key not in theirs and key not in former and key not in (*_COURSE_KEYS, *_LOCKS, "id")
    }
    return from_dict({**theirs, **added})


def _notebook_metadata(
    base: NotebookNode | None, mine: NotebookNode, theirs: NotebookNode
) -> NotebookNode:
    former = base.metadata if base is not None else {}
    metadata = _with_learners(theirs.metadata, mine.metadata, former)
    for key in _KERNEL_KEYS:  # the kernel that the learner chose is theirs
        if key in mine.metadata and mine.metadata[key] != former.get(key):
            metadata[key] = from_dict(mine.metadata[key])
    return metadata


def _as_own(cell: NotebookNode) -> NotebookNode:
    """A copy that is none of the course's: a grade_id there twice would stop a whole class."""
    own = from_dict(cell)
    for key in (*_COURSE_KEYS, *_LOCKS):
        own.metadata.pop(key, None)
    return own


def _kept_beside(cell: NotebookNode, note: str) -> list[NotebookNode]:
    """The learner's version as their own cell, with a first line that says why it is there."""
    own = _as_own(cell)
    own.pop("id", None)
    if own.cell_type != "code":
        own.source = f"*{note}*\n\n{own.source}"
        return [own]
    own.outputs, own.execution_count = [], None
    if own.source.startswith("%%"):  # a cell magic works on the first line only
        said = {"cell_type": "markdown", "metadata": {}, "source": f"*{note}*"}
        return [from_dict(said), own]
    own.source = f"# {note}\n{own.source}"
    return [own]


def _course_ids(course: Sequence[Slot]) -> set[str]:
    """Every id that names, or named, a cell of the course."""
    cells = [cell for slot in course for cell in (slot.base, slot.release) if cell is not None]
    return {name for cell in cells for name in (cell.id, *matching.former_ids(cell))}


def _give_ids(extras: Sequence[NotebookNode], in_use: set[str], reserved: set[str]) -> None:
    """Keep the valid ids of the learner's own cells; give the others ids from their text."""
    taken = in_use | reserved
    fresh = []
    for cell in extras:
        name = cell.get("id", "")
        if _VALID_ID.fullmatch(name) and name not in taken:
            taken.add(name)
        else:
            fresh.append(cell)
    for cell in fresh:
        digest = hashlib.sha256(cell.source.encode("utf-8", "surrogatepass")).hexdigest()
        stem = name = f"own-{digest[:12]}"
        ordinal = 1
        while name in taken:
            ordinal += 1
            name = f"{stem}-{ordinal}"
        taken.add(name)
        cell.id = name


def _title(cell: NotebookNode) -> str:
    entry = cell.metadata.get("gpuedu")
    return (entry.get("exercise") if isinstance(entry, dict) else None) or cell.id
