"""How tests are spread over pytest's workers: a file stays together, except a few long ones.

A module's fixtures are made once where its tests run in one worker. A file in ``ALONE`` has long
tests that share nothing: each goes where there is room. ``FIRST`` are those that take longest, so
that no worker starts one when the others are about to end.
"""

from __future__ import annotations

ALONE = (
    "tests/test_proofs.py",
    "tests/lessons/test_solved.py",
    "tests/lessons/test_unsolved.py",
    "tests/grading/test_equal_verdicts.py",
    "tests/grading/judge/test_grading.py",
    "tests/course/test_compiled_record.py",
    "tests/profiling/test_findings.py",
)
FIRST = (
    "tests/tab/test_site.py",
    "tests/browser/test_classroom.py",
    "tests/course/test_classroom.py",
    "tests/multi/launch/test_trials.py",
    "tests/multi/launch/test_launch.py",
    "tests/exercises/ddp_in_practice/test_ddp_in_practice_torch.py",
    "tests/exercises/ddp_in_practice/test_ddp_in_practice_survive.py",
    "tests/simt/test_differential.py",
    "tests/grading/test_nbgrader_reading.py",
    "tests/grading/test_nbgrader.py",
    "tests/grading/test_nbgrader_grades.py",
    "tests/grading/test_nbgrader_feedback.py",
    "tests/grading/test_nbgrader_verdicts.py",
    "tests/grading/test_handouts.py",
    "tests/grading/batch/test_cluster.py",
    *ALONE,
)


def file_of(nodeid: str) -> str:
    """The file of a test."""
    return nodeid.partition("::")[0]


def unit_of(nodeid: str) -> str:
    """What runs in one worker together with this test: its file, or the first part of its id.

    >>> unit_of("tests/units/test_units.py::test_bytes[3]")
    'tests/units/test_units.py'
    >>> unit_of("tests/test_proofs.py::test_the_exercise[ddp/naive-ddp]")
    'tests/test_proofs.py::ddp'
    """
    file = file_of(nodeid)
    if file not in ALONE:
        return file
    case = nodeid.partition("[")[2].removesuffix("]")
    return f"{file}::{case.partition('/')[0]}"


def place_of(nodeid: str) -> int:
    """Where a test comes in a run: a file in ``FIRST`` before all others."""
    file = file_of(nodeid)
    return FIRST.index(file) if file in FIRST else len(FIRST)
