"""What a round of speculative decoding is worth, by the learner's formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gpuedu.exercises.plain import number
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption

_MOST, _DRAFT_COST = 12, 0.1
_ACCEPTANCES = ((0.9, style.BLUE), (0.8, style.GREEN), (0.6, style.RED), (0.05, style.PINK))


def draw_worth(
    expected_tokens: Callable[..., Any], speedup: Callable[..., Any], best_k: Callable[..., Any]
) -> Any:
    """Tokens of a round on the left, the speedup with its best k on the right."""
    left, right = style.new_axes(3.5, columns=2)
    counts = tuple(range(_MOST + 1))
    tokens, speeds, rings, told = [], [], [], []
    for acceptance, color in _ACCEPTANCES:
        mean = tuple(_number(expected_tokens(acceptance, k)) for k in counts)
        fast = tuple(_number(speedup(acceptance, k, _DRAFT_COST)) for k in counts)
        best = _number(best_k(acceptance, _DRAFT_COST, _MOST))
        name = f"{acceptance:g}"
        tokens.append(CountLine(name, counts, mean, color))
        speeds.append(CountLine(name, counts, fast, color))
        if best in counts:
            rings.append(CountLine("", (int(best),), (fast[int(best)],), style.INK, dots=True))
        told.append(f"acceptance {name}: {mean[-1]:.2f} tokens at k = {_MOST}, best k {best:g}")
    alt = f"Lines over the number of guesses. {'; '.join(told)}."
    source = (
        "By your formulas. Numbers at the lines: the acceptance. Rings: your best k.\n"
        "A pass of the draft takes a tenth of the time of a pass of the target."
    )
    x = "guesses in a round, k"
    caption = Caption("Tokens of a round, on average", alt, source, x=x)
    plot_by_count(tokens, caption=caption, ax=left)
    caption = Caption("Speedup over the target alone", alt, source, x=x)
    plot_by_count([*speeds, *rings], caption=caption, ax=right)
    return left


def _number(given: Any) -> float:
    """The learner's number; NaN where there is none."""
    try:
        return float(number(given))
    except (ArithmeticError, ValueError):
        return math.nan
