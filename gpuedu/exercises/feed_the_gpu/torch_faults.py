"""What PyTorch raises where tensors do not fit together, told with a likely cause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from gpuedu.errors import AnswerError
from gpuedu.exercises.guard import ToldProblemError, learner_line

_MOST_LETTERS = 200


@contextmanager
def with_causes(causes: Mapping[str, str]) -> Iterator[None]:
    """Let an error of PyTorch whose text holds a known part be told with its cause.

    >>> with with_causes({"shape": "Which shapes have the two?"}):
    ...     raise RuntimeError("a shape is wrong")
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: it raised RuntimeError: a shape is wrong. Try: Which shapes have ...
    """
    try:
        yield
    except (RuntimeError, IndexError) as fault:
        said = str(fault)
        cause = next((cause for part, cause in causes.items() if part in said), "")
        if not cause:
            raise
        if isinstance(fault, ToldProblemError):
            raise AnswerError(fault.problem.message, remedy=cause) from fault
        first = (said.strip().splitlines() or [""])[0][:_MOST_LETTERS].removesuffix(".")
        told = (f"it raised {type(fault).__name__}: {first}", learner_line(fault))
        raise AnswerError(", ".join(filter(None, told)), remedy=cause) from fault
