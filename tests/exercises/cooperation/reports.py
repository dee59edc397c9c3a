"""Verdicts on answers of the lesson cooperation, and what is read of them."""

from __future__ import annotations

from functools import cache

from gpuedu.course.proof import Bench
from gpuedu.exercises.contract import Fault, Undecided
from gpuedu.exercises.examine import Report
from tests.exercises.stored import ROOT, stored_text


@cache
def report_of(exercise: str, kind: str, name: str) -> Report:
    """The verdict on a stored answer; ``kind`` is "right" or "wrong"."""
    return report_on(exercise, stored_text(exercise, kind, name))


def report_on(exercise: str, text: str) -> Report:
    """The verdict on the solution with these statements below it."""
    bench = Bench(ROOT, exercise)
    return bench.try_answers([*bench.solution_cells(), text], "of-a-test")


def fault(report: Report, name: str) -> Fault:
    """The counterexample of a property that does not hold."""
    (found,) = (r.fault for r in report.results if r.property.name == name)
    assert found is not None
    return found


def lost(report: Report) -> list[str]:
    """The properties that do not hold."""
    return [name for name, holds in report.held().items() if not holds]


def undecided(report: Report) -> list[str]:
    """The properties of which no case shows anything."""
    return [r.property.name for r in report.results if isinstance(r.fault, Undecided)]
