"""Cases that are played twice: first without what they ask about.

A slip that has nothing to do with that is then told once, by the property that it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gpuedu.exercises.contract import Case, Fault, Inputs, Plain, Test, Undecided
from gpuedu.exercises.ranks.properties import Values, first_off

_FIRST = "first_"
PlayOnce = Callable[[Sequence[Any], Inputs], dict[str, Any]]


def play_twice(play: PlayOnce) -> PlayOnce:
    """A play that runs first with the inputs that a case has under ``first``, if it has any."""

    def run(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
        if "first" not in inputs:
            return play(answers, inputs)
        before = play(answers, {**inputs, **inputs["first"]})
        named = {_FIRST + name: value for name, value in before.items()}
        return {**named, **play(answers, inputs)}

    return run


def right_at_first(name: str, values: Values, without: str) -> Test:
    """A test of values, undecided where they are wrong in the first run already.

    Args:
        name: the property's.
        values: what ranks hold, and should.
        without: what the first run does without: "without dropout".
    """

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        inputs = {**case.inputs, **case.inputs["first"]}
        before = {
            one.removeprefix(_FIRST): value
            for one, value in observed.items()
            if one.startswith(_FIRST)
        }
        for fault in first_off(name, values(inputs, before)):
            told = f"{without}, the result is not right yet: {fault.message}"
            yield Undecided(name, told)
            return
        yield from first_off(name, values(case.inputs, observed))

    return test
