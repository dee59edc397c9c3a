"""Which submissions a folder has, and what in it is not one."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from gpuedu.course.lesson_names import ENDINGS, lesson_named
from gpuedu.errors import GpueduError
from gpuedu.grading.batch.variants import Variants, code_for
from gpuedu.grading.verdict import GradingTask
from gpuedu.syllabus import ready_lessons

_MOST_TOLD = 10
"""Files of a learner's that are passed over for the same reason: of more, only how many."""


def find_submissions(
    folder: Path,
    secret: str,
    lessons: Iterable[str] | None = None,
    *,
    variants: Variants = Variants.PUBLISHED,
    tell: Callable[[str], None] = print,
) -> list[GradingTask]:
    """The submissions in a folder that is laid out as nbgrader's ``submitted``.

    A name that is nearly a lesson's, ``01_why_gpus (1).ipynb``, is taken if the learner has nothing
    under the lesson's own name. If a lesson has several submissions, none is taken: which one
    counts is for the teacher to say.

    Args:
        folder: has a folder for each learner, in which there is a folder, an archive or a notebook
            for each lesson: ``ann/01_why_gpus/...``, ``bob/01_why_gpus.zip``.
        secret: the teacher's; seeds of cases are made from it, and differ by learner.
        lessons: folders of the lessons to grade; all by default.
        variants: whose numbers they were given.
        tell: is called with a line for everything that is skipped: ``skipped: PATH: why``; if a
            learner has very many files of one kind, with a line for some and their number.

    Raises:
        GpueduError: there is no folder, or no submission in it.
    """
    if not folder.is_dir():
        raise GpueduError(
            f"{folder} is not a folder", remedy="name the folder with the submissions"
        )

    def pass_over(paths: Sequence[Path], why: str) -> None:
        for path in paths[:_MOST_TOLD]:
            tell(f"skipped: {path}: {why}")
        if len(paths) > _MOST_TOLD:
            tell(f"skipped: {paths[0].parent}: {len(paths) - _MOST_TOLD:,} more like these")

    ready = {one.folder for one in ready_lessons()}
    wanted = set(lessons or ready)
    tasks = []
    for learner in sorted(folder.iterdir()):
        why = _why_no_learner(learner)
        if why:
            pass_over([learner], why)
            continue
        for lesson, path in sorted(_submissions_of(learner, pass_over).items()):
            if lesson in wanted:
                tasks.append(task_for(learner.name, lesson, path, secret, variants))
            elif lesson not in ready:
                pass_over([path], "this lesson is in preparation")
    if not tasks:
        raise GpueduError(
            f"there is no submission in {folder}",
            remedy="it should hold LEARNER/LESSON/LESSON.ipynb, as nbgrader's `submitted` does",
        )
    return tasks


def task_for(learner: str, lesson: str, path: Path, secret: str, variants: Variants) -> GradingTask:
    """A submission with all that the secret says about it."""
    seed, code = seed_for(secret, learner), code_for(secret, learner, variants)
    return GradingTask(learner, lesson, str(path), seed, code)


def _why_no_learner(path: Path) -> str:
    """Why something in the class's folder is no learner's folder, or ""."""
    if path.is_symlink():
        return "a symbolic link, which is not followed: put the folder itself there"
    if not path.is_dir():
        return "not a learner's folder"
    try:
        path.name.encode("utf-8")
    except UnicodeEncodeError:
        return "its name is not UTF-8: rename it"
    return "its name begins with a dot" if path.name.startswith(".") else ""


def _submissions_of(
    learner: Path, pass_over: Callable[[Sequence[Path], str], None]
) -> dict[str, Path]:
    """One submission for each lesson; what else there is, is told."""
    exact, near, odd = defaultdict(list), defaultdict(list), []
    try:
        is_folder = {path: path.is_dir() for path in sorted(learner.iterdir())}
    except OSError as fault:
        pass_over([learner], f"it cannot be read: {fault.strerror}")
        return {}
    if not is_folder:
        pass_over([learner], "it is empty")
    for path in is_folder:
        lesson = lesson_named(path.name)
        if not lesson or not (is_folder[path] or ENDINGS.search(path.name)):
            odd.append(path)
        else:
            (exact if ENDINGS.sub("", path.name) == lesson else near)[lesson].append(path)
    pass_over(odd, "its name is not that of a lesson's folder, archive or notebook")
    found = {}
    for lesson in sorted({*exact, *near}):
        best, others = exact[lesson] or near[lesson], near[lesson] if exact[lesson] else []
        pass_over(others, f"there is {best[0].name}, which has the lesson's own name")
        if len(best) == 1:
            found[lesson] = best[0]
        else:
            count = f"it is one of {len(best):,} submissions of this lesson"
            pass_over(best, f"{count}: keep one of them, or nothing is graded")
    return found


def seed_for(secret: str, learner: str) -> int:
    """The seed of a learner's cases; without the secret, nobody can work it out."""
    digest = hashlib.blake2b(learner.encode(), key=hashlib.sha256(secret.encode()).digest())
    return int.from_bytes(digest.digest()[:6], "big")
