"""The learner's workspace: a copy of the lessons to answer in, and newer releases brought into it.

<workspace>/01_why_gpus/01_why_gpus.ipynb       the learner's
<workspace>/.gpuedu/base/01_why_gpus/...        as it was released to this workspace
<workspace>/.gpuedu/backup/<time>/01_why_gpus/  the learner's files before an update
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from gpuedu.course.checkout import lesson_names, release_folder
from gpuedu.course.workspace import staging
from gpuedu.course.workspace.planning import (
    OWN_FOLDER,
    LessonPlan,
    WorkspacePaths,
    plan_gone,
    plan_start,
    plan_update,
)
from gpuedu.course.workspace.reports import LessonReport, StartReport, UpdateReport, format_report
from gpuedu.errors import WorkspaceError

__all__ = ["format_report", "release_folder", "start", "update"]

_TRIES = 5


def start(workspace: Path, release: Path | None = None) -> StartReport:
    """Lay out every lesson that is not in the workspace yet; nothing that is there is touched.

    Raises WorkspaceError, with nothing changed, if the workspace cannot be written.
    """
    with _opened(workspace, release) as place:
        plans = [plan_start(place, name) for name in lesson_names(place.release)]
        done = _carry_out(plans, lambda lesson: plan_start(place, lesson))
    return StartReport(place.workspace, done)


def update(workspace: Path, release: Path | None = None) -> UpdateReport:
    """Bring a release into the workspace and keep whatever the learner wrote.

    Raises WorkspaceError, with nothing changed, if there is no workspace or it cannot be written.
    """
    workspace = Path(workspace).expanduser()
    if not lesson_names(workspace) and not (workspace / OWN_FOLDER).is_dir():
        raise WorkspaceError(
            f"{workspace}: no lessons there. Nothing was changed",
            remedy=f"`gpuedu start {workspace}`, or name the folder you work in",
        )
    with _opened(workspace, release) as place:
        names = lesson_names(place.release)
        plans = [plan_update(place, name) for name in names]
        plans += [
            plan_gone(place, name)
            for name in lesson_names(place.workspace / OWN_FOLDER / "base")
            if name not in names and (place.workspace / name).is_dir()
        ]
        done = _carry_out(plans, lambda lesson: plan_update(place, lesson))
        backup = place.backup if place.backup.is_dir() else None
    return UpdateReport(place.workspace, done, backup)


@contextlib.contextmanager
def _opened(workspace: Path, release: Path | None) -> Iterator[WorkspacePaths]:
    workspace = Path(workspace).expanduser()
    release = release_folder() if release is None else Path(release)
    if not lesson_names(release):
        raise WorkspaceError(f"{release}: no lessons there", remedy="name the folder of a release")
    inside, outside = workspace.resolve(), release.resolve()
    if inside == outside or outside in inside.parents:
        raise WorkspaceError(
            f"{workspace} is the release itself: answers there would be lost",
            remedy="choose another folder, such as `workspace`",
        )
    with staging.locked(workspace / OWN_FOLDER):
        with staging.told_as_workspace_error(workspace):
            place = WorkspacePaths(workspace, release, _new_backup_folder(workspace))
            for lesson in lesson_names(release):
                staging.sweep(workspace / lesson)
            staging.sweep(workspace / OWN_FOLDER)
        yield place


def _new_backup_folder(workspace: Path) -> Path:
    stem = workspace / OWN_FOLDER / "backup" / time.strftime("%Y-%m-%dT%H%M%S")
    folder, ordinal = stem, 1
    while folder.exists():
        ordinal += 1
        folder = stem.with_name(f"{stem.name}-{ordinal}")
    return folder


def _carry_out(
    plans: list[LessonPlan], plan_again: Callable[[str], LessonPlan]
) -> tuple[LessonReport, ...]:
    """Stage everything, then replace lesson by lesson; a lesson saved meanwhile is planned anew."""
    reports = []
    done: list[staging.Write] = []
    with contextlib.ExitStack() as stack:
        # All staged before the first is replaced: a full disk is met while nothing is changed.
        ready = [(plan, stack.enter_context(staging.staged(plan.writes))) for plan in plans]
        try:
            for plan, files in ready:
                report = plan.report
                if not staging.commit_all(files, done):
                    report = _carry_out_late(report.lesson, plan_again, done)
                reports.append(report)
        except WorkspaceError:
            staging.put_back(done)
            raise
    return tuple(reports)


def _carry_out_late(
    lesson: str, plan_again: Callable[[str], LessonPlan], done: list[staging.Write]
) -> LessonReport:
    for _ in range(_TRIES):
        plan = plan_again(lesson)
        with staging.staged(plan.writes) as files:
            if staging.commit_all(files, done):
                return plan.report
    note = "Save it, close it, and run `gpuedu update` again."
    return LessonReport(lesson, "busy", notes=(note,))
