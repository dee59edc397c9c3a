"""Whether a function of the learner's left all that it was given, and all in that, as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gpuedu.errors import AnswerError


@contextmanager
def all_kept(function: str, **given: Any) -> Iterator[None]:
    """Raise AnswerError where lists and dicts of plain values were changed within the block.

    >>> texts = [{"id": 3}]
    >>> with all_kept("admit", waiting=texts):
    ...     texts[0]["id"] = 4
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: `admit` changed `waiting`, which it was given
    """
    before = _copied(given)
    yield
    for name, one in given.items():
        if one != before[name]:
            raise AnswerError(
                f"`{function}` changed `{name}`, which it was given",
                remedy="The caller may need it again: work on a copy.",
            )


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(one) for key, one in value.items()}
    return [_copied(one) for one in value] if isinstance(value, list) else value
