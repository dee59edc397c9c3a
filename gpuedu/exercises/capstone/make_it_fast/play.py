"""make-it-fast: beside the learner's program, which runs from its texts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from gpuedu.exercises.capstone.make_it_fast.counting import (
    count_alone,
    count_to_infinity,
    count_together,
)
from gpuedu.exercises.capstone.programs import given_program, require_program
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.documents import MOST_CHARACTERS
from gpuedu.exercises.plain import text


def play_make_it_fast(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the program gives and costs, alone or on several ranks; or what is reported of it.

    With a ``learning_rate``, what it does where a loss is infinite.

    Then ``report`` is the learner's text, ``costs`` are the program's figures, and ``changed``
    names the files that are others than the slow program's. A program that cannot be counted has
    no costs.
    """
    program = require_program(answers[0])
    if "report" in inputs:
        return _reported(program, text(answers[1], "`report`", MOST_CHARACTERS))
    if "learning_rate" in inputs:
        return count_to_infinity(program, inputs["seed"], inputs["learning_rate"])
    if inputs["ranks"] == 1:
        return count_alone(program, inputs["seed"])
    return count_together(program, inputs["seed"], inputs["ranks"])


def _reported(program: dict[str, str], report: str) -> dict[str, Any]:
    from gpuedu.exercises.capstone.make_it_fast.costs import costs_of

    given = given_program("make_it_fast", "reader")
    changed = [name for name in {**given, **program} if program.get(name) != given.get(name)]
    costs: dict[str, float] = {}
    with suppress(Exception):  # the other cases tell it
        costs = costs_of(program) if "|" in report else {}
    return {"report": report, "costs": costs, "changed": sorted(changed)}


PLAY = Play(
    (Answer("program", kind=dict), Answer("report", kind=str, is_optional=True)),
    play_make_it_fast,
    time_limit_s=180.0,
    on_machine=True,
    compiles=True,
)
