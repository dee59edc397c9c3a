"""What is handed in, compared with what learners were given."""

from __future__ import annotations

import hashlib
from functools import lru_cache, partial
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from gpuedu.course.checkout import release_folder
from gpuedu.course.signposts import drop_ways_in
from gpuedu.course.variants import code_in, vary
from gpuedu.errors import GpueduError
from gpuedu.grading.reading.limits import SubmissionError
from gpuedu.grading.reading.submission import Origin, read_submission
from gpuedu.grading.submission import Submission
from gpuedu.grading.texts import MOST_TEXT, printable
from gpuedu.grading.verdict import GradingTask, State, Verdict
from gpuedu.syllabus import lesson_in

_KEPT = 64
"""Notebooks that are kept: a class of variants has one for each learner."""


@lru_cache(maxsize=_KEPT)
def released(folder: str, variant: str = "") -> NotebookNode:
    """The notebook that learners of a lesson were given, with the numbers of a variant.

    It has no links to where the lesson opens: not all were given them, and they are not graded.
    """
    public = nbformat.read(release_folder() / folder / f"{folder}.ipynb", as_version=4)
    drop_ways_in(public)
    return vary(public, lesson_in(folder), variant)


def origin(task: GradingTask, mine: NotebookNode) -> Origin | None:
    """What a learner's notebook was made from, if that is not what they were given.

    It goes by the code in the setup cell, which the learner can change: remarks on their cells may
    follow from it, but no points.
    """
    lesson = lesson_in(task.lesson)
    code, given = code_in(mine, lesson), code_in(released(task.lesson, task.variant), lesson)
    if code is None or code == given:
        return None
    try:
        found = released(task.lesson, code)
    except GpueduError:  # nobody was ever given this code
        return None
    if code_in(found, lesson) != code:  # nothing in this lesson is drawn
        return None
    theirs = "the published numbers"
    if code:
        theirs = f"numbers of {'another' if given else 'a'} class or learner"
    ours = "those that this learner was given" if given else "the published ones"
    return Origin(found, f"the notebook has {theirs}: it was judged by {ours}")


def read(task: GradingTask) -> Submission | Verdict:
    """The submission, or the verdict on one that cannot be read."""
    try:
        given = released(task.lesson, task.variant)
        return read_submission(Path(task.path), task.lesson, given, origin_of=partial(origin, task))
    except SubmissionError as fault:
        reason = printable(str(fault)[:MOST_TEXT])  # an archive's names may be long
        digest = hashlib.sha256(f"unreadable {reason}".encode()).hexdigest()
        return Verdict(task, State.FAILED_BY_LEARNER, reason=reason, digest=digest)
