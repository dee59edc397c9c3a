"""Verdicts on answers that a test changes, and what is read of them."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.contract import Fault, Undecided
from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load
from tests.exercises.stored import solution_answers, stored_answers


def hand_in(exercise: str, seed: int = 0, **instead: Any) -> Report:
    """The verdict on the solution, with what is named replaced."""
    return _verdict(exercise, solution_answers(exercise), seed, instead)


def hand_in_stored(
    exercise: str, name: str, kind: str = "wrong", seed: int = 0, **instead: Any
) -> Report:
    """The verdict on a stored answer, with what is named replaced; ``kind``: "right", "wrong"."""
    return _verdict(exercise, stored_answers(exercise, kind, name), seed, instead)


def _verdict(exercise: str, answers: dict[str, Any], seed: int, instead: dict[str, Any]) -> Report:
    assert set(instead) <= set(answers), f"{exercise} asks for {list(answers)}"
    return examine(load(exercise), [*(answers | instead).values()], seed)


def lost(report: Report) -> set[str]:
    """The properties that do not hold."""
    return {name for name, holds in report.held().items() if not holds}


def undecided(report: Report) -> set[str]:
    """The properties of which no case shows anything."""
    return {one.property.name for one in report.results if isinstance(one.fault, Undecided)}


def fault(report: Report, name: str) -> Fault:
    """The counterexample of a property that does not hold."""
    (found,) = (one.fault for one in report.results if one.property.name == name)
    assert found is not None
    return found


def told(report: Report, name: str) -> str:
    """What a card says of a property that does not hold: counterexample and question."""
    found = fault(report, name)
    return f"{found.message} | {found.cause}"
