"""float-anatomy: its picture."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gpuedu.exercises.mixed_precision.formats import (
    BF16,
    E4M3,
    E5M2,
    FP16,
    TF32,
    Format,
)
from gpuedu.exercises.mixed_precision.pictures_look import COUNTED
from gpuedu.exercises.plain import number, whole_number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves
from gpuedu.figures.training.formats import write_power

_COLORS = (style.GREEN, style.ORANGE, style.BLUE, style.RED, style.PINK)


def draw_rounding(decode: Callable[..., Any], encode: Callable[..., Any]) -> Any:
    """The worst relative error of the learner's round trip in each octave, for five formats."""
    # tf32 lies below fp16 where both have the same digits, so that the end of fp16 is seen.
    forms = (TF32, BF16, FP16, E5M2, E4M3)
    curves = [
        _error_curve(form, decode, encode, color)
        for form, color in zip(forms, _COLORS, strict=True)
    ]
    told = "; ".join(f"{curve.name}: {_at_one(curve)}" for curve in curves)
    curves = [_without_lost(curve) for curve in curves]
    return plot_curves(
        curves,
        caption=Caption(
            "Encode, decode: how far off is what comes back?",
            f"Worst relative error in each octave, by the size of the number. Near 1: {told}.",
            f"{COUNTED} Twelve numbers per octave. A curve starts where not all of them become 0,\n"
            "and ends where one becomes infinite.",
            x="number",
            y="worst relative error",
        ),
        format_x=_power_of_ten,
        format_y=_power_of_ten,
        height_in=4.0,
    )


_OCTAVES = range(-30, 22)


_WITHIN = (*(1 + 2.0**-place for place in range(1, 12)), 1.90625)
"""In each octave: halfway to the second number of a format of any length, the worst place."""


def _error_curve(
    form: Format, decode: Callable[..., Any], encode: Callable[..., Any], color: str
) -> Curve:
    x, y = [], []
    for octave in _OCTAVES:
        values = [within * 2.0**octave for within in _WITHIN]
        errors = [_round_trip_error(value, form, decode, encode) for value in values]
        x.append(2.0 ** (octave + 0.5))
        y.append(max(errors) if all(map(math.isfinite, errors)) else math.nan)
    return Curve(form.name, tuple(x), tuple(y), color)


def _without_lost(curve: Curve) -> Curve:
    """From the last octave on, counted from the left, in which everything becomes 0."""
    kept = next((i for i, y in enumerate(curve.y) if y != 1.0), len(curve.y)) - 1
    return replace(curve, x=curve.x[max(0, kept) :], y=curve.y[max(0, kept) :])


def _power_of_ten(value: float) -> str:
    return write_power(10, round(math.log10(value)))


def _round_trip_error(
    value: float, form: Format, decode: Callable[..., Any], encode: Callable[..., Any]
) -> float:
    bits = whole_number(encode(value, *form.spec), f"encode({value!r})")
    back = number(decode(bits, *form.spec), f"decode({bits:#x})")
    return abs(back - value) / value


def _at_one(curve: Curve) -> str:
    near = {x: y for x, y in zip(curve.x, curve.y, strict=True) if 1 < x < 2}
    return ", ".join(f"{y:.1e}" for y in near.values()) or "none"


PICTURE = draw_rounding
