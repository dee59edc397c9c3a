"""A submission as it is graded: the answers in it to the cells of the released notebook."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nbformat import NotebookNode

from gpuedu.course.workspace.matching import forget, is_same, match, names, role, slots
from gpuedu.course.workspace.notebook_text import UnreadableNotebookError, clean, parse
from gpuedu.grading.reading.files import find_notebook
from gpuedu.grading.reading.lightening import lightened
from gpuedu.grading.reading.limits import ReadingLimits, SubmissionError
from gpuedu.grading.submission import Submission
from gpuedu.grading.texts import printable

_MOST_NAMED = 4
_MOST_REMARKS, _MOST_OF_ONE = 100, 400
"""Remarks on a submission, and characters of one: names in it may be as long as the submission."""


@dataclass(frozen=True)
class Origin:
    """A notebook of the course with numbers other than the learner's.

    Attributes:
        notebook: it has the same cells as what they were given, with other texts in some.
        remark: what is said about it.
    """

    notebook: NotebookNode
    remark: str


def read_submission(
    path: Path,
    lesson: str,
    released: NotebookNode,
    limits: ReadingLimits | None = None,
    origin_of: Callable[[NotebookNode], Origin | None] = lambda _: None,
) -> Submission:
    """Read a submission as data: nothing in it is run, followed, or unpacked to disk.

    Args:
        path: what was handed in: a folder, a zip archive, or a notebook.
        lesson: the lesson's folder name, such as ``01_why_gpus``.
        released: the notebook that learners were given.
        limits: beyond which the submission is refused.
        origin_of: what the notebook that was handed in was made from, if it is not ``released``.

    Raises:
        SubmissionError: it cannot be read; why, and what to try.
    """
    limits = limits or ReadingLimits()
    found = find_notebook(path, lesson, limits)
    remarks = list(found.remarks)
    mine = _parse(found.data, limits, remarks)
    too_long = _without_long_cells(mine, limits)
    answers = {}
    try:
        for cell, place in _answer_cells(released, mine, origin_of(mine), remarks):
            if place in too_long:
                remarks.append(
                    f"the answer {cell.id!r} was not taken: it is {too_long[place]:,} long"
                )
            else:
                answers[cell.id] = mine.cells[place].source
    finally:
        forget()
    digest = hashlib.sha256(found.data).hexdigest()
    return Submission(answers, tuple(_bounded(remarks)), digest)


def _bounded(remarks: list[str]) -> Iterator[str]:
    """Remarks as a verdict has them: few, short, and each on a line of its own."""
    shown = remarks if len(remarks) <= _MOST_REMARKS else remarks[-_MOST_REMARKS:]
    if len(remarks) > len(shown):  # the first ones are of files, the last of cells
        yield f"{len(remarks) - len(shown):,} more like the first of these"
    for one in shown:
        yield printable(one if len(one) <= _MOST_OF_ONE else one[:_MOST_OF_ONE] + " ...")


def notebook_in(path: Path, lesson: str, limits: ReadingLimits | None = None) -> NotebookNode:
    """The notebook that a submission is read from; cells that are too long become empty.

    Raises:
        SubmissionError: it cannot be read.
    """
    limits = limits or ReadingLimits()
    mine = _parse(find_notebook(path, lesson, limits).data, limits, [])
    _without_long_cells(mine, limits)
    return mine


def _parse(data: bytes, limits: ReadingLimits, remarks: list[str]) -> NotebookNode:
    if not data.strip():
        raise SubmissionError("the notebook is empty", remedy="save it, and hand it in again")
    text = _decode(data, remarks)
    is_large = sum(text.count(mark) for mark in "[{,") > limits.values
    if is_large or text.count("{") > limits.objects:
        raise SubmissionError("the notebook has too many values in it")
    try:
        mine = clean(lightened(parse(text.encode("utf-8"), partial(_lighten, limits))))
    except (UnreadableNotebookError, RecursionError) as fault:
        raise SubmissionError(
            f"this is not a notebook: {fault}",
            remedy="open it in JupyterLab, save it, and hand that file in",
        ) from fault
    if len(mine.cells) > limits.cells:
        raise SubmissionError(f"the notebook has {len(mine.cells)} cells, at most {limits.cells}")
    language = mine.metadata.get("kernelspec", {})
    language = language.get("language", "python") if isinstance(language, dict) else "python"
    if language != "python":
        remarks.append(
            f"the notebook says that it is written in {str(language)[:40]!r}: it ran as Python"
        )
    return mine


_LEVELS = (1, 2, 3, 4, 5, 6)


def _lighten(limits: ReadingLimits, old: NotebookNode) -> None:
    """Take the outputs out of a notebook of an older format, which takes long to be converted."""
    count = 0
    for sheet in old.get("worksheets", [old]):
        for cell in sheet.get("cells", []):
            count += 1
            if "outputs" in cell:
                cell["outputs"] = []
            if "level" in cell and cell["level"] not in _LEVELS:  # it becomes as many characters
                cell["level"] = 1
    if count > limits.cells:
        raise ValueError(f"it has {count:,} cells, at most {limits.cells:,}")


def _without_long_cells(mine: NotebookNode, limits: ReadingLimits) -> dict[int, int]:
    """Empty the cells that are too long to be looked at; their places, and how long they were."""
    found = {}
    for place, cell in enumerate(mine.cells):
        if len(cell.source.encode("utf-8", "surrogatepass")) > limits.source_bytes:
            found[place] = len(cell.source)
            cell.source = ""
    return found


def _decode(data: bytes, remarks: list[str]) -> str:
    has_mark = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    for encoding in ("utf-8-sig", *(["utf-16"] if has_mark else [])):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    remarks.append("the file is not UTF-8: it was read as Windows-1252")
    return data.decode("cp1252", "replace")


def _answer_cells(
    released: NotebookNode,
    mine: NotebookNode,
    origin: Origin | None,
    remarks: list[str],
) -> Iterator[tuple[NotebookNode, int]]:
    """The released answer cells that are there, each with its place in the learner's notebook."""
    course = slots(released.cells, released.cells)
    places = {slot: own for own, slot in match(mine.cells, course).items()}
    if origin is not None:
        remarks.append(origin.remark)
    remarks += _told(released, mine, places, origin.notebook if origin else released)
    for number, slot in enumerate(course):
        if number in places and role(slot.release) == "answer":
            yield slot.release, places[number]


def _told(
    released: NotebookNode, mine: NotebookNode, places: Mapping[int, int], origin: NotebookNode
) -> Iterator[str]:
    """What differs in form from the released notebook, a line for each kind.

    What a cell says in ``origin`` is not the learner's doing, either.
    """
    kept = [(number, cell) for number, cell in enumerate(released.cells) if role(cell) != "text"]
    gone = [cell.id for number, cell in kept if number not in places]
    if gone:
        yield f"put back, as released: {_some(gone)}"
    edited = [
        cell.id
        for number, cell in kept
        if number in places
        and role(cell) in ("setup", "check", "given")
        and all(_differs(one, mine.cells[places[number]]) for one in (cell, origin.cells[number]))
    ]
    if edited:
        yield f"changed by the learner, run as released: {_some(edited)}"
    order = [places[number] for number in sorted(places)]
    if order != sorted(order):
        yield "cells are in a different order: the released order was used"
    again = Counter(str(cell.get("id")) for cell in mine.cells if cell.get("id"))
    doubled = [one for one, count in again.items() if count > 1]
    if doubled:
        yield f"there more than once, one of each used: {_some(doubled)}"
    yield from _own_cells(mine, places)


def _differs(released: NotebookNode, mine: NotebookNode) -> bool:
    return released.cell_type != mine.cell_type or not is_same(released, mine)


def _own_cells(mine: NotebookNode, places: Mapping[int, int]) -> Iterator[str]:
    """Cells that the learner added; they are not run, which matters where an answer uses them."""
    taken = set(places.values())
    added = [
        cell
        for place, cell in enumerate(mine.cells)
        if place not in taken and cell.cell_type == "code" and cell.source.strip()
    ]
    if not added:
        return
    yield f"{len(added)} code cell{'s' * (len(added) > 1)} of the learner's own not run"
    defined = sorted({name for cell in added for name in names(cell.source)})
    if defined:
        yield (f"they define {_some(defined)}: an answer that uses this needs it in its own cell")


def _some(items: list[str]) -> str:
    more = len(items) - _MOST_NAMED
    return ", ".join(items[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
