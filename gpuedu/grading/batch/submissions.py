"""Which submissions there are in a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from gpuedu.errors import GpueduError
from gpuedu.grading.verdict import Task
from gpuedu.syllabus import ready_lessons


def find_submissions(folder: Path, secret: str, lessons: Iterable[str] | None = None) -> list[Task]:
    """The submissions in a folder that is laid out as nbgrader's ``submitted``.

    Args:
        folder: has a folder for each learner, in which there is a folder, an archive or a notebook
            for each lesson: ``ann/01_why_gpus/...``, ``bob/01_why_gpus.zip``.
        secret: the teacher's; seeds of cases are made from it, and differ by learner.
        lessons: folders of the lessons to grade; all that there are by default.

    Raises:
        GpueduError: there is no folder, or no submission in it.
    """
    if not folder.is_dir():
        raise GpueduError(f"{folder} is no folder", remedy="name the folder with the submissions")
    wanted = set(lessons or (one.folder for one in ready_lessons()))
    tasks = []
    for learner in sorted(folder.iterdir()):
        if learner.name.startswith(".") or learner.is_symlink() or not learner.is_dir():
            continue
        for path in sorted(learner.iterdir()):
            name = path.name.removesuffix(".zip").removesuffix(".ipynb")
            if name in wanted:
                tasks.append(Task(learner.name, name, str(path), seed_for(secret, learner.name)))
    if not tasks:
        raise GpueduError(
            f"there is no submission in {folder}",
            remedy="it should hold LEARNER/LESSON/LESSON.ipynb, as nbgrader's `submitted` does",
        )
    return tasks


def seed_for(secret: str, learner: str) -> int:
    """The seed of a learner's cases; nobody who lacks the secret can tell it."""
    told = hashlib.blake2b(learner.encode(), key=hashlib.sha256(secret.encode()).digest())
    return int.from_bytes(told.digest()[:6], "big")
