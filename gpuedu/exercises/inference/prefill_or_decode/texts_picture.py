"""How much arithmetic decode has for each byte, by the number of texts in a pass."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gpuedu.exercises.inference.prefill_or_decode.pictured_passes import (
    COMPUTED,
    MODEL_NAME,
    Pass,
    cost_of,
    rates,
)
from gpuedu.exercises.plain import number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, Mark, plot_curves

_TEXTS = tuple(2**power for power in range(13))
_CACHED = ((100, style.GREEN), (1_000, style.BLUE), (10_000, style.RED))


def draw_more_texts(
    pass_flop: Callable[..., Any], pass_bytes: Callable[..., Any], enough_texts: Callable[..., Any]
) -> Any:
    """A curve for each length of the texts, and the number from which on arithmetic limits."""
    device = rates()
    ridge = device["flop_per_s"] / device["bytes_per_s"]
    curves, marks, told = [], [], []
    for cached, color in _CACHED:
        costs = [cost_of(Pass("", texts, cached, 1), pass_flop, pass_bytes) for texts in _TEXTS]
        found = tuple(flop / moved if moved > 0 else math.nan for flop, moved in costs)
        enough = float(number(_enough(costs, enough_texts, device), "the result of `enough_texts`"))
        says = f"from {enough:,.6g} texts on" if math.isfinite(enough) else "never"
        name = f"{cached:,} tokens each:\n{says}"
        curves.append(Curve(name, tuple(map(float, _TEXTS)), found, color))
        told.append(f"{cached:,} tokens each: {found[0]:.3g} to {found[-1]:.3g}; {says}")
        if _TEXTS[0] <= enough <= _TEXTS[-1]:
            marks.append(Mark("", enough, ridge))
    caption = Caption(
        title="What more texts in a pass do for decode",
        x="texts in a pass, one new token each",
        y="FLOP for each byte",
        source=f"{COMPUTED} {MODEL_NAME}.\nBeside each curve: when arithmetic is the limit, by "
        "your `enough_texts`.",
        alt="FLOP for each byte by the number of texts, from 1 to "
        f"{_TEXTS[-1]:,}. Arithmetic is the limit from {ridge:.0f} on. {'. '.join(told)}.",
    )
    level = Level(f"above {ridge:.0f}, arithmetic is the limit", ridge, style.INK, at_left=True)
    return plot_curves(
        curves, [level], marks, caption=caption, format_x="{:,g}".format, height_in=3.8
    )


def _enough(costs: Any, enough_texts: Callable[..., Any], device: dict[str, float]) -> Any:
    """By what one text more takes: the costs of a pass are a straight line over the texts."""
    (flop, one), (_, two) = costs[:2]
    return enough_texts(flop, two - one, 2 * one - two, device)
