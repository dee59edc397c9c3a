"""A learner's policy as the server may ask it: what it gives is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import items, whole_number
from gpuedu.exercises.serving.server import Policy

_SHOWN = 4


def asking(admit: Callable[..., Any], name: str = "admit") -> Policy:
    """The policy that a function of the learner's is.

    Raises:
        AnswerError: once asked, if it gives no list of ids of texts that wait.
    """

    def policy(waiting: list[Any], running: list[Any], free_tokens: int) -> list[int]:
        ids = [text["id"] for text in waiting]
        given = admit(waiting, running, free_tokens)
        found = items(given, f"what `{name}` gives", "a list of ids")
        started = [whole_number(one, f"an id that `{name}` gives") for one in found]
        for at, one in enumerate(started):
            if one not in ids:
                shown = ", ".join(map(str, ids[:_SHOWN])) + (", ..." if len(ids) > _SHOWN else "")
                raise AnswerError(
                    f"`{name}` gave {one}, and no text with this id waits; these do: {shown}"
                )
            if one in started[:at]:
                raise AnswerError(f"`{name}` gave {one} twice")
        return started

    return policy
