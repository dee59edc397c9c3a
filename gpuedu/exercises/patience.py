"""How long a drawing may take: one of a whole program of the learner's needs more than most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

USUAL_LIMIT_S = 20.0


@dataclass(frozen=True)
class Patience:
    """How a picture is drawn of a learner's answers.

    ``first``, if there is one, computes what the course itself adds to it, and keeps that. It is
    called before, with no limit, since how soon it ends depends on the machine alone. Then the
    picture has to be done within ``limit_s`` seconds.
    """

    first: Callable[[], Any] | None = None
    limit_s: float = USUAL_LIMIT_S


_PATIENCE: dict[Callable[..., Any], Patience] = {}


def takes_long(first: Callable[[], Any], limit_s: float) -> Callable[..., Any]:
    """Decorate a picture's function that needs more patience than most."""

    def noted(draw_picture: Callable[..., Any]) -> Callable[..., Any]:
        _PATIENCE[draw_picture] = Patience(first, limit_s)
        return draw_picture

    return noted


def patience_for(draw_picture: Callable[..., Any]) -> Patience:
    """That of one picture."""
    return _PATIENCE.get(draw_picture, Patience())
