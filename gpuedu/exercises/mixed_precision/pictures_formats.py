"""Pictures of formats: gradients on their number lines, their bits, what rounding does."""

from __future__ import annotations

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
from gpuedu.figures.bit_fields import BitFields, plot_bit_fields
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import FormatRange, plot_number_line


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
            f"one batch, without the {np.mean(gradients == 0):.0%} that are 0. Striped: "
            "subnormal.\nOn the highest bar: its share.",
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
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        train(model, Batches(digits.train, 64), loss, optimizer, steps=_TRAINED_STEPS)
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
