"""speculative: the first token of a text, as a kept guess or in place of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.inference.speculative.rounds import play_all
from gpuedu.exercises.plain import array
from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts

_DRAFT = np.array([8, 4, 2, 2]) / 16
_TARGET = np.array([4, 4, 5, 3]) / 16
_LEVELS = 16
_RIGHT = "The first token has the target's distribution"
_WRONG = "The first token doesn't have the target's distribution yet"
_KEPT, _INSTEAD = "a guess that is kept", "in place of a guess"


def draw_first_tokens(residual: Callable[..., Any], verify: Callable[..., Any]) -> Any:
    """How often each token comes first, over all guesses and uniforms."""
    shape = _TARGET.shape
    array(residual(_TARGET.copy(), _DRAFT.copy()), np.float64, shape, "the result of `residual`")
    size = len(_DRAFT)
    q, p = np.tile(_DRAFT, (size, 1)), np.tile(_TARGET, (size, 1))
    kept, instead, others = np.zeros(size), np.zeros(size), 0.0
    for guesses, chance, came in play_all(verify, q, p, 0, 1, _LEVELS):
        if not came or not 0 <= came[0] < size:
            others += chance
        elif came[0] == guesses[0]:
            kept[came[0]] += chance
        else:
            instead[came[0]] += chance
    bars = [_bar(token, float(kept[token]), float(instead[token])) for token in range(size)]
    strange = f" {others:.0%} of the rounds gave no token, or one that isn't there." * (others > 0)
    told = "; ".join(f"{bar.name}: {bar.text}" for bar in bars)
    caption = Caption(
        title=_RIGHT if np.abs(kept + instead - _TARGET).max() < 1e-9 else _WRONG,
        x="share of all rounds (%)",
        source="Counted over all guesses and uniforms, with your functions. Dashed: the target's "
        f"probability.{strange}",
        alt=f"Bars of two parts beside the target's probability. {told}.{strange}",
    )
    return plot_parts(bars, caption=caption)


def _bar(token: int, kept: float, instead: float) -> Parts:
    wanted, guessed = float(_TARGET[token]), float(_DRAFT[token])
    is_right = abs(kept + instead - wanted) < 1e-9
    off = "" if is_right else f", the target {wanted:.1%}"
    return Parts(
        f"token {token}",
        {_KEPT: 100 * kept, _INSTEAD: 100 * instead},
        f"{kept + instead:.1%} (the draft {guessed:.1%}{off})",
        is_right=is_right,
        ideal=100 * wanted,
    )


PICTURE = draw_first_tokens
