"""What the learner's functions of the first part return, or a clear refusal of it."""

from __future__ import annotations

from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe


def pair(value: Any, name: str, what: str) -> tuple[Any, Any]:
    """The two things that ``name`` should return; AnswerError for anything else."""
    if type(value) not in (tuple, list) or len(value) != 2:
        raise AnswerError(f"`{name}` should return two things, {what}; got {describe(value)}")
    return value[0], value[1]


def require_state(value: Any) -> Any:
    """What `begin` returned, unless it is nothing: then `adam_step` could keep nothing."""
    if value is None:
        raise AnswerError(f"`begin` should return the state; got {describe(value)}")
    return value
