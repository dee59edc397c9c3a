"""Verdicts on the solution with functions of it replaced, and what is read of them."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load
from tests.exercises.stored import solution_answers


def hand_in(exercise: str, seed: int = 0, **instead: Any) -> Report:
    """The verdict on the solution with functions replaced by name."""
    return examine(load(exercise), [*(solution_answers(exercise) | instead).values()], seed)


def lost(report: Report) -> list[str]:
    """The properties that do not hold."""
    return [name for name, holds in report.held().items() if not holds]


def fault(report: Report, prop: str) -> str:
    """Message and question of a property's first counterexample."""
    found = next(result.fault for result in report.results if result.property.name == prop)
    return f"{found.message} | {found.cause}"
