"""The grader says of every known answer what ``check`` says of it in a notebook.

CI takes what ``check`` says of the solution and of the stub from ``tests/test_proofs.py``, which
proves that they are solved and unsolved. It grades each third solution, the first wrong answer of each
fourth exercise, and the stub of a lesson's first exercise.
``make prove-all`` plays every stored answer both ways.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from gpuedu.course.proof import Bench
from gpuedu.exercises.examine import PropertyResult, report_without_cases
from gpuedu.exercises.guard import play_guarded
from gpuedu.grading.judge.cells import Cells, imports_of, measured_in
from gpuedu.grading.judge.examining import examine_cells
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.sandbox import PlayingLimits
from gpuedu.syllabus import exercise_ids
from tests.sampled import WHOLE, sampled

ROOT = Path(__file__).parents[2]
SEED = 7
ALWAYS = frozenset({"rounds_in_place", "sorted_pairs", "named_tuples", "named_terms"})
"""Besides the first wrong answers: one that changes a tensor it was given, one that uses what is
measured in a given cell, and two with types of their own."""
WITH_WRONG = frozenset(exercise_ids()[::4])
CHOSEN = ["tensor-cores", "roofline", "find-the-race", "step-time"]
LAUNCHING = frozenset({"torch-ddp", "survive", "batch-job"})
"""Every case starts several processes: CI grades the solution of these and nothing else."""


def known_answers(bench):
    """Name and cells: solution, stub, and some wrong answers; or all that are stored."""
    yield "solution", bench.solution_cells()
    if bench.id in LAUNCHING and not WHOLE:
        return
    if WHOLE or bench.id == bench.lesson.exercises[0]:
        yield "stub", bench.stub_cells()
    texts = {"wrong": bench.wrong_texts(), "right": bench.right_texts()}
    for kind, of_kind in texts.items():
        stored = list(of_kind.items())
        for at, (name, text) in enumerate(stored):
            first_wrong = at == 0 and kind == "wrong" and bench.id in WITH_WRONG
            in_ci = first_wrong or name in ALWAYS
            if not (in_ci or WHOLE):
                continue
            yield f"{kind} {name}", [*bench.solution_cells(), text]


def checked(bench, cells, name):
    """What ``check`` says of these cells: its report, or what is proved of it elsewhere."""
    if name in PROVED and not WHOLE:
        return PROVED[name](bench.exercise)
    outcome = play_guarded(partial(bench.try_answers, cells, name, SEED), 120)
    assert outcome.problem is None, (name, outcome.problem)
    return outcome.observed


def _solved(exercise):
    results = tuple(PropertyResult(prop, 1, 1) for prop in exercise.judge.properties)
    return replace(report_without_cases(exercise, "solved"), results=results)


def _unsolved(exercise):
    return report_without_cases(exercise, "unsolved")


PROVED = {"solution": _solved, "stub": _unsolved}


def graded(bench, cells, zygote):
    with Stage(zygote, PlayingLimits()) as stage:
        return examine_cells(stage, bench.exercise, cells_with(bench, cells), SEED)


def cells_with(bench, cells):
    (setup,) = (cell for cell in bench.source.cells if cell.role == "setup")
    sources = [("setup", imports_of(setup.text))]
    sources += [(f"{bench.id} {number}", text) for number, text in enumerate(cells)]
    handed_over = tuple(ast.unparse(argument) for argument in bench.arguments)
    measured = [
        name for cell in bench.source.cells_of(bench.id, "given") for name in measured_in(cell.text)
    ]
    return Cells(tuple(sources), handed_over, imports_of(setup.text), tuple(measured))


@pytest.mark.filterwarnings("default")  # in a notebook a warning is no error
@pytest.mark.parametrize("exercise", sampled(exercise_ids(), every=6, chosen=CHOSEN))
def test_check_and_grader_agree(exercise, zygote):
    bench = Bench(ROOT, exercise)
    apart = []
    for name, cells in known_answers(bench):
        own, theirs = checked(bench, cells, name), graded(bench, cells, zygote)
        if (own.state, own.held()) != (theirs.state, theirs.held()):
            apart += [
                f"{name}: check says {_told(own)}",
                f"{name}: the grader says {_told(theirs)}",
            ]
    assert not apart, "\n".join(apart)


def _told(report):
    faults = [result.fault.message for result in report.results if result.fault]
    return f"{report.state}, {report.held()}, {report.refusal!r}, {faults[:2]}"
