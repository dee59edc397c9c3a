"""Whether a function of the learner's left all that it was given, and all in that, as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer


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


def on_copies(answer: Answer, function: Callable[..., Any], changed: list[str]) -> Any:
    """A learner's function on copies of what it is given; ``changed`` gets what it changed there.

    >>> admit, changed = Answer("admit", signature=("waiting",)), []
    >>> take = on_copies(admit, lambda texts: texts.pop(), changed)
    >>> waiting = [3, 4]
    >>> take(waiting), waiting, changed
    (4, [3, 4], ['`admit` changed `waiting`'])
    """

    def called(*given: Any) -> Any:
        copies = [_copied(one) for one in given]
        result = function(*copies)
        for name, before, after in zip(answer.signature, given, copies, strict=True):
            told = f"`{answer.name}` changed `{name}`"
            if before != after and told not in changed:
                changed.append(told)
        return result

    return called


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(one) for key, one in value.items()}
    return [_copied(one) for one in value] if isinstance(value, list) else value
