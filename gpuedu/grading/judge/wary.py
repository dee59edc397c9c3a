"""Judging what came of the cases where nobody vouches for it: within limits, whatever it is."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Case, Exercise, Fault, Finding, Plain
from gpuedu.exercises.guard import play_guarded
from gpuedu.grading.judge.memory import at_most_more
from gpuedu.grading.sandbox.limits import JudgeSlowError

VERDICT_LIMIT_S = 30.0
_VERDICT_BYTES = 2 * 2**30
"""More than any judge takes, and less than what would end its process."""
_COSTLY = "judging it costs too much time"
_MOST_NUMBERS = 2_000_000
"""In the arrays of a result: a judge may go through them one by one. No exercise's has a fourth."""


def wary(exercise: Exercise) -> Exercise:
    """The exercise with a verdict for results that nobody vouches for."""
    judged = tuple(replace(prop, test=None) for prop in exercise.judge.properties)
    verdict = _Judge(exercise).verdict
    return replace(exercise, judge=replace(exercise.judge, verdict=verdict, properties=judged))


class _Judge:
    """Judges results that nobody vouches for: it never raises because of one, and never hangs.

    What the learner's process alone says of itself, and a text that a learner wrote, may be made to
    cost any time. Time in which the judge computes is then the fault of what it was given; other
    time is the machine's.
    """

    def __init__(self, exercise: Exercise) -> None:
        self._judge = exercise.judge
        is_typed = any(one.kind is str for one in exercise.play.answers)
        by_the_course = exercise.play.on_machine or exercise.play.is_repeatable
        self._is_vouched = by_the_course and not is_typed
        self._spent_s = 0.0

    def verdict(self, case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        """What is found in a result, or that it cannot be judged.

        Raises:
            JudgeSlowError: it took too long, and that was not the result's fault.
        """
        if _numbers_in(observed) > _MOST_NUMBERS:
            return self._faults(case, f"more than {_MOST_NUMBERS:,} numbers")
        if self._is_costly():
            return self._faults(case, _COSTLY)
        with at_most_more(_VERDICT_BYTES):
            outcome = play_guarded(
                lambda: self._timed(case, observed), VERDICT_LIMIT_S, is_ours=True
            )
        if outcome.problem is None:
            return outcome.observed
        if not outcome.ends_check:
            return self._faults(case, outcome.problem.message)
        if self._is_costly():
            return self._faults(case, _COSTLY)
        raise JudgeSlowError(f"the judge did not get through a result in {VERDICT_LIMIT_S:g} s")

    def _timed(self, case: Case, observed: Plain) -> list[Fault | Finding]:
        began_s = time.thread_time()
        try:
            return list(self._judge.seen(case, observed))
        finally:
            self._spent_s += time.thread_time() - began_s

    def _is_costly(self) -> bool:
        return not self._is_vouched and self._spent_s > VERDICT_LIMIT_S / 2

    def _faults(self, case: Case, why: str) -> list[Fault]:
        message = f"its result does not have the form that is judged ({why})"
        names = case.decides or [prop.name for prop in self._judge.properties]
        return [Fault(name, message) for name in names]


def _numbers_in(observed: Any) -> int:
    """How many elements the arrays of a result have together."""
    if isinstance(observed, np.ndarray):
        return observed.size
    if isinstance(observed, Mapping):
        return sum(map(_numbers_in, observed.values()))
    return sum(map(_numbers_in, observed)) if isinstance(observed, (list, tuple)) else 0
