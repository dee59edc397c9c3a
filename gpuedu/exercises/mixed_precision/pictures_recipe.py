"""Pictures of training in 16 bits: gradients before and after scaling, losses, memory, records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from gpuedu.exercises.mixed_precision.formats import BF16, FP16
from gpuedu.experiments import read_results
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
_EVERY = 10


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
        {"gradients": gradients, "times 2**16": gradients * _SCALE},
        caption=Caption(
            "The gradients of this task, before and after scaling",
            f"Two histograms by size above fp16 and bf16. {lost:.0%} of the gradients become 0 in "
            f"fp16; times 2**16, {still:.1%} do.",
            "Computed here, in float32: the gradients of the scores, the hidden numbers and the "
            "weights at the first step. Zeros left out.",
            x="size",
        ),
        through="fp16",
        exponents=(-44, 18),
    )


@cache
def _first_gradients() -> Any:
    """All gradients that are not 0, of scores, hidden numbers and weights."""
    import torch

    from gpuedu.experiments.same_accuracy import HARD, batches, start_weights

    images, labels = next(batches(HARD, 10))
    wide = images.float()
    inner, outer = (weight.requires_grad_() for weight in start_weights(HARD, 10))
    hidden = torch.relu(wide / (wide * wide).mean(1, keepdim=True).sqrt() @ inner)
    scores = hidden @ outer
    loss = torch.nn.functional.cross_entropy(scores, labels, reduction="sum") / HARD.divisor
    parts = torch.autograd.grad(loss, [scores, hidden, inner, outer])
    flat = torch.cat([part.flatten() for part in parts]).double().numpy()
    return flat[flat != 0]


def draw_losses(begin: Callable[..., Any], train_step: Callable[..., Any]) -> Any:
    """The learner's losses on the hard task beside those of runs in float32 and in fp16."""
    from gpuedu.exercises.mixed_precision.half_runs import run_half
    from gpuedu.exercises.training.quiet import quiet_torch
    from gpuedu.experiments.same_accuracy import HARD, judge_weights, start_weights

    found = read_results("same-accuracy")
    steps, losses = [0], [judge_weights(HARD, start_weights(HARD, 0))[0]]

    def look(step: int, weights: Sequence[Any]) -> None:
        if step % _EVERY == 0:
            steps.append(step)
            losses.append(judge_weights(HARD, weights)[0])

    with quiet_torch():
        run_half(begin, train_step, HARD, 0, look)
    wide, pure = (found.values["curves"][name] for name in ("float32", "pure fp16"))
    curves = [
        LossCurve("float32", found.values["steps"], wide["median"], wide["low"], wide["high"]),
        LossCurve("yours", steps, losses),
        LossCurve("fp16 alone", found.values["steps"], pure["median"]),
    ]
    return plot_losses(
        curves,
        caption=Caption(
            "Three ways to train on the hard task",
            f"Losses by step. At the end float32 has {wide['median'][-1]:.3f}, yours "
            f"{losses[-1]:.3f}, fp16 alone {pure['median'][-1]:.3f}.",
            "Yours: trained here. The others: medians of 15 runs, for float32 with the middle half."
            f"\n{found.source}",
            x="step",
            y="loss on the training images (nat)",
        ),
    )


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
        stages,
        caption=Caption(
            "Where most bytes of a step live at once",
            f"Bars of bytes by kind. In all: {told}. Activations: {saved}.",
            f"Counted here, on the CPU: one step of Adam, an MLP of {widths}, {_SAMPLES:,} "
            "samples; fp16 and bf16 by autocast,\nweights, gradients and Adam's state in float32. "
            "Other: gradients of activations on their way back.",
            y="memory at the peak",
        ),
    )


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
    left_out = "".join(f"\n{line}" for line in record.left_out)
    ends = ", ".join(f"{curve.name} {curve.losses[-1]:.3f}" for curve in curves)
    return plot_losses(
        curves,
        caption=Caption(
            f"A character GPT, by precision, on the {short_name(record.device)}",
            f"Losses by step, recorded. At the last step: {ends}.",
            f"Recorded {record.date[:10]}. {record.what}{left_out}",
            x="step",
            y="loss (nat)",
        ),
    )


RECIPE_PICTURES = {
    "mixed-precision/before-and-after": draw_gradients,
    "same-accuracy": draw_losses,
    "mixed-precision/step-memory": draw_memory,
    "mixed-precision/recorded-losses": draw_recorded,
}
