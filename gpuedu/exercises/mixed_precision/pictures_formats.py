"""Pictures of formats: gradients on their number lines, their bits, what rounding does."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from gpuedu.exercises.mixed_precision.formats import (
    BF16,
    E4M3,
    E5M2,
    FP16,
    FP32,
    TF32,
    Format,
)
from gpuedu.exercises.plain import number, whole_number
from gpuedu.figures import style
from gpuedu.figures.bit_fields import BitFields, plot_bit_fields
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves
from gpuedu.figures.training import FormatRange, plot_number_line
from gpuedu.figures.training.formats import write_power

_COLOURS = (style.GREEN, style.ORANGE, style.BLUE, style.RED, style.PINK)
_COUNTED = "Computed here, with your functions."


def draw_gradients() -> Any:
    """The gradients of a small model, trained here, above the ranges of four formats."""
    gradients = _gradients()
    moving = gradients[gradients > 0]
    formats, told = [], []
    for form in (BF16, FP16, E5M2, E4M3):
        # Half of the smallest number, or less, rounds to 0.
        lost = f"{np.mean(moving <= form.smallest / 2):.1%} become 0"
        ends = (form.smallest, form.smallest_normal, form.largest)
        formats.append(FormatRange(f"{form.name}\n{lost}", *ends, form.mantissa_bits))
        told.append(f"{form.name}: {lost}")
    return plot_number_line(
        formats,
        {"gradients\nthat are not 0": moving},
        caption=Caption(
            "The gradients of a small model, on the number lines of four formats",
            f"A histogram of {moving.size:,} gradients that are not 0, by size, above four "
            f"formats. {'; '.join(told)}.",
            f"Trained here in fp32: an MLP of 64-128-10 on digits, {_TRAINED_STEPS} steps; "
            f"one batch, without the {np.mean(gradients == 0):.0%} that are 0. Striped: subnormal.",
            x="size",
        ),
        exponents=(-36, 18),
    )


_TRAINED_STEPS = 300


@cache
def _gradients() -> np.ndarray:
    """Sizes of the gradients of one batch after some steps of training."""
    import torch

    from gpuedu.exercises.training.quiet import quiet_torch
    from gpuedu.training import MLP, Batches, load_digits, train

    with quiet_torch(seed=10):
        digits, loss = load_digits(), torch.nn.functional.cross_entropy
        model = MLP(64, 10)
        optimiser = torch.optim.SGD(model.parameters(), lr=0.5)
        train(model, Batches(digits.train, 64), loss, optimiser, steps=_TRAINED_STEPS)
        model.zero_grad()
        batch = digits.train.take(64)
        loss(model(batch.inputs), batch.targets).backward()
        parts = [weights.grad.abs().flatten() for weights in model.parameters()]
        return torch.cat(parts).double().numpy()


def draw_formats() -> Any:
    """The bits of six formats, with the ends of each and its first step."""
    rows = [
        BitFields(
            form.name,
            form.exponent_bits,
            form.mantissa_bits,
            f"{form.smallest:.1e} to {_large(form.largest)}, after 1 comes 1 + {_step(form)}",
        )
        for form in (FP32, TF32, BF16, FP16, E5M2, E4M3)
    ]
    told = ". ".join(f"{row.name}: 1, {row.exponent_bits}, {row.mantissa_bits}" for row in rows)
    return plot_bit_fields(
        rows,
        caption=Caption(
            "Sign, exponent, mantissa: the smallest and the largest number, and the first step",
            f"Rows of squares, one a bit: sign, exponent and mantissa bits. {told}.",
            "IEEE 754-2019; OCP OFP8 1.0 (e5m2, e4m3); NVIDIA (TF32, which is kept in 32 bits).",
        ),
    )


def _large(value: float) -> str:
    return f"{value:,.0f}" if value < 1e6 else f"{value:.1e}"


def _step(form: Format) -> str:
    return f"1/{2**form.mantissa_bits:,}"


def draw_rounding(decode: Callable[..., Any], encode: Callable[..., Any]) -> Any:
    """The worst relative error of the learner's round trip in each octave, for five formats."""
    # tf32 lies below fp16 where both have the same digits, so that the end of fp16 is seen.
    forms = (TF32, BF16, FP16, E5M2, E4M3)
    curves = [
        _error_curve(form, decode, encode, colour)
        for form, colour in zip(forms, _COLOURS, strict=True)
    ]
    told = "; ".join(f"{curve.name}: {_at_one(curve)}" for curve in curves)
    curves = [_without_lost(curve) for curve in curves]
    return plot_curves(
        curves,
        caption=Caption(
            "Encode, decode: how far is what comes back?",
            f"Worst relative error in each octave, by the size of the number. Near 1: {told}.",
            f"{_COUNTED} Twelve numbers an octave. A curve begins where not all become 0.",
            x="number",
            y="worst relative error",
        ),
        format_x=_power_of_ten,
        format_y=_power_of_ten,
        height_in=4.0,
    )


_OCTAVES = range(-30, 22)
_WITHIN = (*(1 + 2.0**-place for place in range(1, 12)), 1.90625)
"""In each octave: half way to the second number of a format of any length, the worst place."""


def _error_curve(
    form: Format, decode: Callable[..., Any], encode: Callable[..., Any], colour: str
) -> Curve:
    x, y = [], []
    for octave in _OCTAVES:
        values = [within * 2.0**octave for within in _WITHIN]
        errors = [_round_trip_error(value, form, decode, encode) for value in values]
        x.append(2.0 ** (octave + 0.5))
        y.append(max(errors) if all(map(math.isfinite, errors)) else math.nan)
    return Curve(form.name, tuple(x), tuple(y), colour)


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


FORMAT_PICTURES = {
    "mixed-precision/gradients": draw_gradients,
    "mixed-precision/formats": draw_formats,
    "float-anatomy": draw_rounding,
}
