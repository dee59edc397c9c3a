"""Pictures of training in 16 bits: gradients before and after scaling, losses, memory, records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from textwrap import wrap
from typing import Any

from gpuedu.exercises.mixed_precision.formats import BF16, FP16
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import (
    FormatRange,
    LossCurve,
    plot_losses,
    plot_memory,
    plot_number_line,
)
from gpuedu.units import format_size

_SCALE = 2.0**16


_CAPTION_LETTERS = 108


def draw_gradients() -> Any:
    """The task's gradients at its first step, in float32, as they are and scaled."""
    gradients = _first_gradients()
    lost, still = (
        float((abs(factor * gradients) <= FP16.smallest / 2).mean()) for factor in (1, _SCALE)
    )
    formats = [
        FormatRange(f.name, f.smallest, f.smallest_normal, f.largest, f.mantissa_bits)
        for f in (FP16, BF16)
    ]
    return plot_number_line(
        formats,
        {
            f"gradients:\n{lost:.0%} become 0\nin fp16": gradients,
            f"times 2¹⁶:\n{still:.0%} do": gradients * _SCALE,
        },
        caption=Caption(
            "The gradients of this task, before and after scaling",
            f"Two histograms by size above fp16 and bf16. {lost:.0%} of the gradients become 0 in "
            f"fp16; times 2**16, {still:.1%} do.",
            "Computed here, in float32: the gradients of the scores, the hidden numbers and the "
            "weights at the first step, those\nthat are 0 left out. Anything of at most 2⁻²⁵, "
            "half "
            "of the smallest number of fp16, becomes 0. On the highest bar: its share.",
            x="size",
        ),
        through="fp16",
        exponents=(-44, 18),
    )


@cache
def _first_gradients() -> Any:
    """All gradients that are not 0, of scores, hidden numbers and weights."""
    import torch

    from gpuedu.experiments.hard_digits import HARD, batches, start_weights

    images, labels = next(batches(HARD, 10))
    wide = images.float()
    inner, outer = (weight.requires_grad_() for weight in start_weights(HARD, 10))
    hidden = torch.relu(wide / (wide * wide).mean(1, keepdim=True).sqrt() @ inner)
    scores = hidden @ outer
    loss = torch.nn.functional.cross_entropy(scores, labels, reduction="sum") / HARD.divisor
    parts = torch.autograd.grad(loss, [scores, hidden, inner, outer])
    flat = torch.cat([part.flatten() for part in parts]).double().numpy()
    return flat[flat != 0]


_SAMPLES, _WIDTHS = 4096, (256, 256, 256)


def draw_memory() -> Any:
    """The bytes of a step of Adam where most of them live at once, by precision."""
    stages = _peaks()
    told = ", ".join(f"{stage.phase} {format_size(stage.live_bytes)}" for stage in stages)
    saved = ", ".join(
        f"{stage.phase} {format_size(stage.by_kind['activations'])}" for stage in stages
    )
    widths = "-".join(str(width) for width in (64, *_WIDTHS, 10))
    return plot_memory(
        [_without_gradients(stage) for stage in stages],
        caption=Caption(
            "What a step holds in memory at its peak",
            f"Bars of bytes by kind. In all: {told}. Activations: {saved}.",
            f"Counted here, on the CPU: one step of Adam, an MLP of {widths}, {_SAMPLES:,} "
            "samples; fp16 and bf16 by autocast,\nweights and Adam's state in float32. Other: "
            "gradients on their way back, and the first of the weights' gradients\n"
            f"({format_size(stages[0].by_kind['gradients'])}; the others come later).",
            y="memory at the peak",
        ),
    )


def _without_gradients(stage: Any) -> Any:
    """Those few counted as other: too few to be seen, they would only stand in the legend."""
    kinds = dict(stage.by_kind)
    kinds["other"] += kinds["gradients"]
    return replace(stage, by_kind=kinds | {"gradients": 0})


@cache
def _peaks() -> tuple[Any, ...]:
    """The point at the peak of each precision's step, with the precision as its phase."""
    import torch

    from gpuedu.exercises.training.quiet import quiet_torch

    halves = {"fp32": None, "fp16": torch.float16, "bf16": torch.bfloat16}
    with quiet_torch(seed=10):
        return tuple(replace(_peak(half), phase=name) for name, half in halves.items())


def _peak(half: Any) -> Any:
    import torch

    from gpuedu.training import MLP
    from gpuedu.training.memory import peak, watch_step

    class Cast(MLP):
        def forward(self, images: Any) -> Any:
            with torch.autocast("cpu", half, enabled=half is not None):
                return super().forward(images)

    model = Cast(64, 10, hidden=_WIDTHS)
    batch = torch.rand(_SAMPLES, 64), torch.randint(10, (_SAMPLES,))
    adam = torch.optim.Adam(model.parameters())
    loss = torch.nn.functional.cross_entropy
    return peak(watch_step(model, batch, lambda s, y: loss(s.float(), y), adam))


def draw_recorded() -> Any:
    """Losses of a character GPT by precision, recorded on a GPU; or a sentence."""
    from gpuedu.hardware.names import short_name
    from gpuedu.hardware.records import records

    kept = records("precision-losses")
    if not kept:
        return (
            "No losses by precision have been recorded on a GPU yet.\n"
            "`gpuedu record` does it on a machine that has one."
        )
    record = next((one for one in kept if one.is_own), kept[-1])
    names = list(dict.fromkeys(str(row["precision"]) for row in record.rows))
    curves = []
    for name in names:
        rows = [row for row in record.rows if row["precision"] == name]
        curves.append(LossCurve(name, [r["step"] for r in rows], [r["median"] for r in rows]))
    ends = ", ".join(f"{curve.name} {curve.losses[-1]:.3f}" for curve in curves)
    last = max(row["step"] for row in record.rows)
    apart = max(row["spread"] for row in record.rows if row["step"] == last)
    source = [
        f"Recorded {record.date[:10]}. {record.what}",
        f"At the last step, the middle half of the seeds spans up to {apart:.2g} nat apart.",
        *_losses_left_out(record.left_out),
    ]
    return plot_losses(
        curves,
        caption=Caption(
            f"A character GPT, by precision, on the {short_name(record.device)}",
            f"Losses by step, recorded. At the last step: {ends}.",
            "\n".join(line for text in source for line in wrap(text, _CAPTION_LETTERS)),
            x="step",
            y="loss (nat)",
        ),
        fit_y=True,
    )


def _losses_left_out(told: Sequence[str]) -> list[str]:
    """A sentence for each precision and reason, however many steps it is told of.

    >>> _losses_left_out(["precision fp16, step 1, batch 2: none", "precision fp16, step 9: none"])
    ['Left out: fp16, none.']
    """
    found = dict.fromkeys(
        (point.partition(",")[0].removeprefix("precision "), reason)
        for point, _, reason in (text.partition(": ") for text in told)
    )
    return [f"Left out: {precision}, {reason}." for precision, reason in found]
