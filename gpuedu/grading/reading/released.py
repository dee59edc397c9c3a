"""What is handed in, read against what learners were given."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from gpuedu.course.checkout import release_folder
from gpuedu.course.variants import vary
from gpuedu.grading.judge.grading import lesson_in
from gpuedu.grading.reading.limits import SubmissionError
from gpuedu.grading.reading.submission import read_submission
from gpuedu.grading.submission import Submission
from gpuedu.grading.texts import printable
from gpuedu.grading.verdict import State, Task, Verdict

_KEPT = 64
"""Notebooks that are kept: a class of variants has one for each learner."""


@lru_cache(maxsize=_KEPT)
def released(folder: str, variant: str = "") -> NotebookNode:
    """The notebook that learners of a lesson were given, with the numbers of a variant."""
    public = nbformat.read(release_folder() / folder / f"{folder}.ipynb", as_version=4)
    return vary(public, lesson_in(folder), variant)


def read(task: Task) -> Submission | Verdict:
    """The submission, or the verdict on one that cannot be read."""
    try:
        return read_submission(Path(task.path), task.lesson, released(task.lesson, task.variant))
    except SubmissionError as fault:
        reason = printable(str(fault))
        digest = hashlib.sha256(f"unreadable {reason}".encode()).hexdigest()
        return Verdict(task, State.FAILED_BY_LEARNER, reason=reason, digest=digest)
