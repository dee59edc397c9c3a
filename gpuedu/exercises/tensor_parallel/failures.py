"""Failures on ranks that one property of a case tells, while its others cannot be judged yet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Inputs,
    Judge,
    Plain,
    Property,
    Undecided,
)

_FAILED, _REMEDY = "failed", "remedy"


def with_failures(
    play: Callable[[Sequence[Any], Inputs], dict[str, Any]],
) -> Callable[[Sequence[Any], Inputs], dict[str, Any]]:
    """A play that observes a failure on a rank: its message, and what may help."""

    def run(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
        try:
            return play(answers, inputs)
        except AnswerError as failed:
            return {_FAILED: failed.message, _REMEDY: failed.remedy}

    return run


def telling_failures(judge: Judge, *, by: Collection[str]) -> Judge:
    """The judge, for such a play: properties in ``by`` tell a failure, and others are undecided.

    Args:
        judge: all its properties judge themselves.
        by: names; for each case at least one that it decides.
    """
    told = tuple(_telling(one, is_teller=one.name in by) for one in judge.properties)
    return replace(judge, properties=told)


def _telling(prop: Property, *, is_teller: bool) -> Property:
    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        if _FAILED not in observed:
            if prop.test:
                yield from prop.test(case, observed)
        elif is_teller:
            yield Fault(prop.name, observed[_FAILED], observed[_REMEDY])
        else:
            yield Undecided(prop.name, "your functions fail here, as another line says")

    return replace(prop, test=test)
