"""What starting and updating would write: reads the three versions of a lesson, writes nothing.

For an existing lesson, the notebook is written before its base: a run that is killed between the
two leaves a base that is too old, which the next merge corrects. A base that is too new would make
old text of the course look like the learner's.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from nbformat import NotebookNode

from gpuedu.course.checkout import lesson_names
from gpuedu.course.workspace import moving, notebook_text, staging
from gpuedu.course.workspace.merge import Counts, Merged, merge
from gpuedu.course.workspace.notebook_text import UnreadableNotebookError
from gpuedu.course.workspace.reports import LessonReport
from gpuedu.course.workspace.staging import Write, read_or_none
from gpuedu.errors import WorkspaceError

OWN_FOLDER = ".gpuedu"
_RANK = ("unchanged", "updated", "damaged", "new")


@dataclass(frozen=True)
class WorkspacePaths:
    """Where things are for one run; ``backup`` does not exist until something is put there."""

    workspace: Path
    release: Path
    backup: Path

    @cached_property
    def homes(self) -> dict[str, frozenset[str]]:
        """The exercises of each lesson of the release."""
        found = {}
        for name in lesson_names(self.release):
            notebook = _read(self.release / name / f"{name}.ipynb")
            found[name] = moving.exercises(notebook) if notebook is not None else frozenset()
        return found


@dataclass(frozen=True)
class LessonPlan:
    """What to do for one lesson, and how to report it; ``writes`` are in order."""

    report: LessonReport
    writes: tuple[Write, ...] = ()


@dataclass(frozen=True)
class _File:
    """One file of a lesson: its name there, its paths, and what they hold (None: not there)."""

    name: str
    mine: Path
    base: Path
    backup: Path
    released: bytes
    held: bytes | None
    former: bytes | None


def plan_start(place: WorkspacePaths, lesson: str) -> LessonPlan:
    """Lay out the missing files of a lesson. Raises WorkspaceError if one is unreadable."""
    writes: list[Write] = []
    report, status = LessonReport(lesson, "present"), "present"
    with staging.told_as_workspace_error(place.workspace / lesson):
        for file in _files(place, lesson):
            if file.held is None:
                laid = _plan_new(LessonPlan(LessonReport(lesson, status)), place, file)
                # The base first: a notebook without one would look edited all over.
                writes += [*_base_write(file), *laid.writes]
                if file.name == f"{lesson}.ipynb":
                    report, status = laid.report, "new"
            elif file.released not in (file.former, file.held) and status == "present":
                status = "behind"
    return LessonPlan(replace(report, status=status), tuple(writes))


def plan_update(place: WorkspacePaths, lesson: str) -> LessonPlan:
    """Bring the release's lesson in. Raises WorkspaceError if a file cannot be read."""
    plan = LessonPlan(LessonReport(lesson, "unchanged"))
    with staging.told_as_workspace_error(place.workspace / lesson):
        for file in _files(place, lesson):
            if file.held is None:
                status = "new" if file.name == f"{lesson}.ipynb" else "updated"
                plan = _writing(_told(plan, status), *_base_write(file))
                plan = _plan_new(plan, place, file)
            elif file.mine.suffix == ".ipynb":
                plan = _writing(_plan_notebook(plan, place, file), *_base_write(file))
            else:
                plan = _writing(_plan_plain_file(plan, file), *_base_write(file))
    return plan


def plan_gone(place: WorkspacePaths, lesson: str) -> LessonPlan:
    """The report on a lesson that the release does not have; its folder stays as it is."""
    base = _read(place.workspace / OWN_FOLDER / "base" / lesson / f"{lesson}.ipynb")
    names = moving.exercises(base) if base is not None else frozenset()
    homes = [name for name, has in place.homes.items() if has & names]
    if base is None or not homes:
        return LessonPlan(LessonReport(lesson, "gone"))
    mine = _read(place.workspace / lesson / f"{lesson}.ipynb")
    where = ", ".join(homes)
    if mine is None:
        note = f"They are in {where}. The old notebook can't be read, so nothing of it is there."
    elif left := _not_arrived(place, base, mine, names):
        cells = "1 cell" if len(left) == 1 else f"{len(left)} cells"
        note = f"They are in {where}. Of what you wrote, {cells} can only be found here."
    else:
        note = f"What you wrote is in {where}. You may delete the old folder."
    return LessonPlan(LessonReport(lesson, "moved", notes=(note,)))


def _plan_new(plan: LessonPlan, place: WorkspacePaths, file: _File) -> LessonPlan:
    """Lay out a file; a notebook with what the learner wrote while its exercises were elsewhere."""
    data = file.released
    if file.name == f"{plan.report.lesson}.ipynb" and file.former is None:
        theirs = _released_notebook(file)
        merged = moving.carry(_formers(place, plan.report.lesson, theirs), theirs)
        if merged is not None and (kept := merged.counts.kept()) != Counts():
            data = notebook_text.render(notebook_text.mend(merged.notebook))
            report = replace(plan.report, counts=kept, to_review=merged.to_review)
            plan = replace(plan, report=report)
    return _writing(plan, Write(file.mine, data, None))


def _formers(
    place: WorkspacePaths, lesson: str, theirs: NotebookNode
) -> Iterator[tuple[NotebookNode, NotebookNode]]:
    """Notebooks of the workspace that had exercises of a lesson: as released, and as they are."""
    wanted = moving.exercises(theirs)
    for name in lesson_names(place.workspace / OWN_FOLDER / "base"):
        base = _read(place.workspace / OWN_FOLDER / "base" / name / f"{name}.ipynb")
        mine = _read(place.workspace / name / f"{name}.ipynb")
        if base is None or mine is None or name == lesson:
            continue
        stayed = place.homes.get(name, frozenset())
        if (moving.exercises(base) - stayed) & wanted:
            yield moving.without(base, stayed), moving.without(mine, stayed)


def _read(path: Path) -> NotebookNode | None:
    """A notebook that may be missing or broken; what cannot be read has nothing to carry."""
    data = read_or_none(path)
    try:
        return None if data is None else notebook_text.clean(notebook_text.parse(data))
    except UnreadableNotebookError:
        return None


def _files(place: WorkspacePaths, lesson: str) -> Iterator[_File]:
    folder = place.release / lesson
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        is_hidden = any(part.startswith((".", "__pycache__")) for part in parts)
        if is_hidden or not path.is_file():
            continue
        name = path.relative_to(place.release)
        mine, base = place.workspace / name, place.workspace / OWN_FOLDER / "base" / name
        yield _File(
            name="/".join(parts),
            mine=mine,
            base=base,
            backup=place.backup / name,
            released=path.read_bytes(),
            held=read_or_none(mine),
            former=read_or_none(base),
        )


def _plan_notebook(plan: LessonPlan, place: WorkspacePaths, file: _File) -> LessonPlan:
    theirs = _released_notebook(file)
    try:
        held = notebook_text.parse(file.held)
    except UnreadableNotebookError as fault:
        return _plan_fresh(plan, file, why=str(fault))
    base, mine = _base_notebook(file), notebook_text.clean(held)
    moved = _moved(place, plan.report.lesson, base, mine) if base is not None else frozenset()
    if moved:
        base, mine = moving.without(base, moved), moving.without(mine, moved)
    merged = merge(base, mine, theirs)
    if notebook_text.is_same_notebook(merged.notebook, held):
        return plan
    data = notebook_text.render(notebook_text.mend(merged.notebook))
    if notebook_text.is_same_notebook(merged.notebook, theirs):
        data = file.released
    return _writing(_counted(plan, merged), _backup(file), Write(file.mine, data, file.held))


def _moved(
    place: WorkspacePaths, lesson: str, base: NotebookNode, mine: NotebookNode
) -> frozenset[str]:
    """Exercises that left this lesson and are, with what was written, in another one.

    Where the other lesson was laid out before, what is here may differ from what is there: it
    stays, as whatever else left the course.
    """
    left = moving.exercises(base) - place.homes.get(lesson, frozenset())
    own = {one: moving.without(mine, moving.exercises(mine) - {one} | {""}) for one in left}
    return frozenset(one for one in left if not _not_arrived(place, base, own[one], {one}))


def _not_arrived(
    place: WorkspacePaths, base: NotebookNode, mine: NotebookNode, exercises: Set[str]
) -> list[NotebookNode]:
    """What the learner wrote in these cells that the exercises' lessons won't have."""
    arrived = {cell.source for cell in base.cells}
    for name, has in place.homes.items():
        if not has & exercises:
            continue
        there = _read(place.workspace / name / f"{name}.ipynb")
        if there is None and not (place.workspace / OWN_FOLDER / "base" / name).exists():
            theirs = _read(place.release / name / f"{name}.ipynb")
            merged = moving.carry(_formers(place, name, theirs), theirs) if theirs else None
            there = merged.notebook if merged is not None else None
        arrived |= {cell.source for cell in (there.cells if there is not None else ())}
    return [cell for cell in mine.cells if cell.source not in arrived]


def _released_notebook(file: _File) -> NotebookNode:
    try:
        return notebook_text.clean(notebook_text.parse(file.released))
    except UnreadableNotebookError as fault:
        raise WorkspaceError(
            f"the released {file.name} is not a notebook ({fault}). Nothing was changed",
            remedy="install gpuedu again, or `make build` in a checkout",
        ) from fault


def _base_notebook(file: _File) -> NotebookNode | None:
    if file.former is None:
        return None
    try:
        return notebook_text.clean(notebook_text.parse(file.former))
    except UnreadableNotebookError:
        return None


def _counted(plan: LessonPlan, merged: Merged) -> LessonPlan:
    report = replace(
        plan.report,
        counts=plan.report.counts + merged.counts,
        to_review=(*plan.report.to_review, *merged.to_review),
    )
    return _told(replace(plan, report=report), "updated")


def _plan_fresh(plan: LessonPlan, file: _File, *, why: str) -> LessonPlan:
    kept = _beside(file, "damaged")
    note = f"{file.mine.name} could not be read ({why}). It is kept as {kept.path.name}."
    return _writing(_told(plan, "damaged", note), kept, Write(file.mine, file.released, file.held))


def _plan_plain_file(plan: LessonPlan, file: _File) -> LessonPlan:
    """A data file or picture: the release's; a version that the learner made stays beside it."""
    if file.held == file.released or file.former == file.released:
        return plan
    renewed = Write(file.mine, file.released, file.held)
    if file.held == file.former:
        return _writing(_told(plan, "updated"), renewed)
    kept = _beside(file, "yours")
    note = f"Your version of {file.name} is kept as {kept.path.name}."
    return _writing(_told(plan, "updated", note), _backup(file), kept, renewed)


def _beside(file: _File, word: str) -> Write:
    """Keep the learner's version as NAME.WORD-1.EXT, or the next number that is free."""
    number = 1
    while True:
        path = file.mine.with_name(f"{file.mine.stem}.{word}-{number}{file.mine.suffix}")
        there = read_or_none(path)
        # The same bytes are there after a run that was killed half way: once is enough.
        if there is None or there == file.held:
            return Write(path, file.held, there)
        number += 1


def _backup(file: _File) -> Write:
    return Write(file.backup, file.held, read_or_none(file.backup))


def _base_write(file: _File) -> tuple[Write, ...]:
    if file.former == file.released:
        return ()
    return (Write(file.base, file.released, file.former),)


def _writing(plan: LessonPlan, *writes: Write) -> LessonPlan:
    return replace(plan, writes=(*plan.writes, *writes))


def _told(plan: LessonPlan, status: str, *notes: str) -> LessonPlan:
    status = max(status, plan.report.status, key=_RANK.index)
    report = replace(plan.report, status=status, notes=(*plan.report.notes, *notes))
    return replace(plan, report=report)
