"""Verdicts on the solution with functions of it replaced, and what is read of them."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.contract import Fault
from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load
from tests.exercises.stored import solution_answers


def hand_in(exercise: str, seed: int = 0, **instead: Any) -> Report:
    """The verdict on the solution with functions replaced by name."""
    given = {**solution_answers(exercise), **instead}
    return examine(load(exercise), list(given.values()), seed)


def lost(report: Report) -> set[str]:
    """The properties that do not hold."""
    return {name for name, holds in report.held().items() if not holds}


def fault(report: Report, name: str) -> Fault:
    """The counterexample of a property that does not hold."""
    (found,) = (r.fault for r in report.results if r.property.name == name)
    assert found is not None
    return found
