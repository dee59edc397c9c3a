"""prefill-or-decode: its picture, of both phases under the roofs of a device."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from gpuedu.exercises.inference.prefill_or_decode.pictured_passes import (
    COMPUTED,
    MODEL_NAME,
    Pass,
    cost_of,
    rates,
)
from gpuedu.exercises.plain import text
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Mark, plot_curves
from gpuedu.units import TERA

Offset = tuple[float, float]
_FROM, _TO = 0.4, 20_000.0
_TOKENS = 1_000
_SHOWN = (
    (Pass("prefill, 1 text", 1, 0, _TOKENS), (10, -16)),
    (Pass("decode, 1 text", 1, _TOKENS, 1), (12, -4)),
    (Pass("decode, 16 texts", 16, _TOKENS, 1), (12, -4)),
    (Pass("decode, 256 texts", 256, _TOKENS, 1), (12, -4)),
)
"""Passes, and where their names are, in points from their marks."""
_LINE_PT = 5.0
"""By how much several names are lower, for each more."""


def draw_roofline(
    pass_flop: Callable[..., Any], pass_bytes: Callable[..., Any], limit: Callable[..., Any]
) -> Any:
    """Where each pass is under the roofs, and what the learner's ``limit`` says of it."""
    device = rates()
    ridge = device["flop_per_s"] / device["bytes_per_s"]
    across = (_FROM, ridge, _TO)

    def roof(intensity: float) -> float:
        return min(device["flop_per_s"], intensity * device["bytes_per_s"]) / TERA

    places, told = [], []
    for one, offset_pt in _SHOWN:
        flop, moved = cost_of(one, pass_flop, pass_bytes)
        named = text(limit(flop, moved, device), "the result of `limit`")
        intensity = flop / moved if moved > 0 else math.nan
        told.append(f"{one.name}: {_short(intensity)} FLOP/byte, {named}")
        places.append((intensity, f"{one.name}: {named}", offset_pt))
    marks = [
        Mark("\n".join(names), at, roof(at), (right, up - _LINE_PT * (len(names) - 1)))
        for at, names, (right, up) in _together(places)
    ]
    caption = Caption(
        title="Prefill and decode under the roofs of an H100",
        x="FLOP for each byte",
        y="at most (TFLOP/s)",
        source=f"{COMPUTED} {MODEL_NAME}, {_TOKENS:,} tokens in each text.{_missing(places)}",
        alt=f"The roofs of an H100, which meet at {ridge:.0f} FLOP/byte, and passes under them. "
        f"{'; '.join(told)}.",
    )
    curve = Curve("", across, tuple(map(roof, across)), style.BLUE, has_marks=False)
    plain = "{:,g}".format
    return plot_curves([curve], marks=marks, caption=caption, format_x=plain, format_y=plain)


def _short(value: float) -> str:
    """Three figures, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _together(
    places: Sequence[tuple[float, str, Offset]],
) -> list[tuple[float, list[str], Offset]]:
    """The names of passes that are at about the same place, below each other at the first one."""
    found: list[tuple[float, list[str], Offset]] = []
    for at, name, offset_pt in places:
        near = next((names for other, names, _ in found if other / 2 < at < 2 * other), None)
        if near is None:
            found.append((at, [name], offset_pt))
        else:
            near.append(name)
    return found


def _missing(places: Sequence[tuple[float, str, Offset]]) -> str:
    """How many passes have no place under the roofs."""
    count = sum(not 0 < at < math.inf for at, *_ in places)
    return f"\nNot on these axes, without FLOP or bytes: {count} of {len(places)}." if count else ""


PICTURE = draw_roofline
