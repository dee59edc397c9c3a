"""A plan as a learner's function returns it: a dict, or None."""

from __future__ import annotations

from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.functions import entry
from gpuedu.exercises.pipelines.parallel_plans import NAMES, Plan
from gpuedu.exercises.plain import entries, whole_number

_ZERO = "zero"


def plan_of(given: Any) -> Plan | None:
    """The plan that `best_plan` returned.

    Raises:
        AnswerError: it is neither None nor a dict of these five whole numbers.

    >>> plan_of({"data": 2, "tensor": 8, "pipeline": 1, "micro_batches": 4, "zero": 1})
    Plan(data=2, tensor=8, pipeline=1, micro_batches=4, zero=1)
    >>> plan_of({"data": 2})
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: the dict has no entry for 'tensor'
    """
    if given is None:
        return None
    found = entries(given, "the result of `best_plan`")
    counts = {name: whole_number(entry(found, name, NAMES), f"`{name}`") for name in NAMES}
    for name, count in counts.items():
        least = 0 if name == _ZERO else 1
        if count < least:
            raise AnswerError(f"the plan has {name} {count}", remedy=f"It is {least} or more.")
    return Plan(**counts)
