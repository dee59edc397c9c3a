"""The grader says of every known answer what ``check`` says of it in a notebook."""

from __future__ import annotations

import ast
import os
from functools import partial
from pathlib import Path

import pytest

from gpuedu.course.proof import Bench
from gpuedu.exercises.guard import play_guarded
from gpuedu.grading.judge.cells import Cells, imports_of
from gpuedu.grading.judge.examining import examine_cells
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.sandbox import PlayingLimits
from gpuedu.syllabus import exercise_ids

ROOT = Path(__file__).parents[2]
SEED = 7
EVERY = "GPUEDU_EVERY_ANSWER" in os.environ
"""Set by ``make prove-all``: all stored answers, which takes about an hour."""
ALWAYS = frozenset({"rounds_in_place.py"})
"""Beside the first wrong answer of each exercise: one that changes a tensor it was given."""


def known_answers(bench):
    """Name and cells: solution, stub, and some wrong answers; or all that are stored."""
    yield "solution", bench.solution_cells()
    yield "stub", bench.stub_cells()
    for kind in ("wrong", "right") if EVERY else ("wrong",):
        stored = list(bench.variants(kind).items())
        for at, (name, text) in enumerate(stored):
            if at > 0 and name not in ALWAYS and not EVERY:
                continue
            yield f"{kind} {name}", [*bench.solution_cells(), text]


def graded(bench, cells, zygote):
    (setup,) = (cell for cell in bench.source.cells if cell.role == "setup")
    sources = [("setup", imports_of(setup.text))]
    sources += [(f"{bench.id} {number}", text) for number, text in enumerate(cells)]
    handed_over = tuple(ast.unparse(argument) for argument in bench.arguments)
    given = Cells(tuple(sources), handed_over, imports_of(setup.text))
    with Stage(zygote, PlayingLimits()) as stage:
        return examine_cells(stage, bench.exercise, given, SEED)


@pytest.mark.filterwarnings("default")  # in a notebook a warning is no error
@pytest.mark.parametrize("exercise", exercise_ids())
def test_check_and_grader_agree(exercise, zygote):
    bench = Bench(ROOT, exercise)
    apart = []
    for name, cells in known_answers(bench):
        outcome = play_guarded(partial(bench.try_answers, cells, name, SEED), 120)
        assert outcome.problem is None, (name, outcome.problem)
        own, theirs = outcome.observed, graded(bench, cells, zygote)
        if (own.state, own.held()) != (theirs.state, theirs.held()):
            apart += [
                f"{name}: check says {_told(own)}",
                f"{name}: the grader says {_told(theirs)}",
            ]
    assert not apart, "\n".join(apart)


def _told(report):
    faults = [result.fault.message for result in report.results if result.fault]
    return f"{report.state}, {report.held()}, {report.refusal!r}, {faults[:2]}"
