"""What starting and updating a workspace did, and how it is reported (pure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gpuedu.course.workspace.merge import Counts

_SAID = {
    "new": "laid out",
    "present": "there already, left as it is",
    "behind": "there already, left as it is; a newer release is there",
    "unchanged": "unchanged",
    "updated": "updated",
    "damaged": "could not be read; a fresh copy was laid out",
    "busy": "left as it is: it was saved again and again meanwhile",
    "moved": "its exercises are in other lessons now; your folder stays as it is",
    "gone": "no longer in the course; your folder stays as it is",
}

_COUNTED = (
    ("answers_kept", "answer kept", "answers kept"),
    ("edits_kept", "edit kept", "edits kept"),
    ("extras_kept", "cell of your own kept", "cells of your own kept"),
    ("added", "cell added", "cells added"),
    ("updated", "cell renewed", "cells renewed"),
    ("removed", "cell removed", "cells removed"),
    ("restored", "deleted cell restored", "deleted cells restored"),
)


@dataclass(frozen=True)
class LessonReport:
    """One lesson and what happened to it.

    ``status``: new, present, behind, unchanged, updated, damaged, busy, moved or
    gone. ``notes`` are
    whole sentences; ``to_review`` names answers whose task the release changed.
    """

    lesson: str
    status: str
    counts: Counts = field(default_factory=Counts)
    notes: tuple[str, ...] = ()
    to_review: tuple[str, ...] = ()


@dataclass(frozen=True)
class StartReport:
    """What `start` did in ``workspace``, a lesson each."""

    workspace: Path
    lessons: tuple[LessonReport, ...]


@dataclass(frozen=True)
class UpdateReport:
    """What `update` did; ``backup`` holds the learner's files as they were, if any changed."""

    workspace: Path
    lessons: tuple[LessonReport, ...]
    backup: Path | None = None


def format_report(report: StartReport | UpdateReport) -> str:
    """Write a report as text for a terminal; lessons where nothing happened are only counted.

    >>> lesson = LessonReport("01_why_gpus", "updated", Counts(answers_kept=2, added=1))
    >>> print(format_report(UpdateReport(Path("work"), (lesson,))))
    Workspace: work
    01_why_gpus: updated (2 answers kept, 1 cell added)
    Notebooks that are open in JupyterLab: File > Reload Notebook from Disk, before you save.
    """
    lines = [f"Workspace: {report.workspace}"]
    quiet = [entry for entry in report.lessons if entry.status in ("unchanged", "present")]
    for entry in report.lessons:
        if entry not in quiet:
            lines += _format_lesson(entry)
    if quiet:
        word = "lesson" if len(quiet) == 1 else "lessons"
        lines.append(f"{len(quiet)} {word} {_SAID[quiet[0].status]}")
    statuses = {entry.status for entry in report.lessons}
    if "behind" in statuses:
        lines.append("Run `gpuedu update` to bring in the newer release; it keeps every answer.")
    if isinstance(report, UpdateReport) and report.backup is not None:
        lines.append(f"Your notebooks as they were: {report.backup}")
    if statuses & {"updated", "damaged"}:
        lines.append(
            "Notebooks that are open in JupyterLab: File > Reload Notebook from Disk, "
            "before you save."
        )
    return "\n".join(lines)


def _format_lesson(entry: LessonReport) -> list[str]:
    counted = [
        f"{number} {one if number == 1 else many}"
        for name, one, many in _COUNTED
        if (number := getattr(entry.counts, name))
    ]
    has_more = entry.status in ("updated", "new")
    shown = f" ({', '.join(counted)})" if counted and has_more else ""
    lines = [
        f"{entry.lesson}: {_SAID[entry.status]}{shown}",
        *(f"  {note}" for note in entry.notes),
    ]
    if entry.to_review:
        lines.append(f"  The task changed, look again: {', '.join(entry.to_review)}")
    return lines
