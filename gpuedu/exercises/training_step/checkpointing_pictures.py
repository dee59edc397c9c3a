"""Pictures of checkpointing: the peak by the number of segments, and memory over one step."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.plain import number
from gpuedu.exercises.training_step.block_stacks import (
    Stack,
    passing_peak,
    plain_step,
    watch_stack,
)
from gpuedu.exercises.training_step.memory_pictures import here, told_how
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses
from gpuedu.figures.training.memory import plot_memory
from gpuedu.units import format_size

BLOCKS, WIDTH, SAMPLES = 36, 64, 1024
SEGMENTS = (1, 2, 3, 4, 5, 6, 9, 12, 18, 36)
_SHOWN = 6


def _stack(segments: int) -> Stack:
    return Stack(BLOCKS, segments, width=WIDTH, samples=SAMPLES)


def draw_peaks(checkpointed_step: Any, predicted_bytes: Any) -> Any:
    """The learner's formula and the peak of their step, for each number of segments."""
    device, stack = here(), _stack(1)
    formula = [
        number(predicted_bytes(BLOCKS, k, stack.kept_bytes, stack.inside_bytes)) / 2**20
        for k in SEGMENTS
    ]
    counted = [
        passing_peak(watch_stack(checkpointed_step, _stack(k), device)) / 2**20 for k in SEGMENTS
    ]
    plain = passing_peak(watch_stack(plain_step, stack, device)) / 2**20
    curves = [
        LossCurve("counted in\nyour step", SEGMENTS, counted),
        LossCurve("your\nformula", SEGMENTS, formula),
        LossCurve("ordinary\nstep", (SEGMENTS[0], SEGMENTS[-1]), (plain, plain)),
    ]
    least = SEGMENTS[counted.index(min(counted))]
    caption = Caption(
        title=f"The peak of a step through {BLOCKS} blocks",
        x="segments",
        y="what comes and goes, at its most (MiB)",
        source=f"{told_how(device)}: {BLOCKS} blocks of {WIDTH} units, {SAMPLES} samples; without "
        "weights and their gradients.",
        alt=f"Peak over the number of segments: {counted[0]:.2f} MiB for 1, least "
        f"{min(counted):.2f} MiB for {least}, {counted[-1]:.2f} MiB for {BLOCKS}; an ordinary step "
        f"has {plain:.2f} MiB.",
    )
    return plot_losses(curves, caption=caption, ceiling=1e9)


def draw_checkpointed(checkpointed_step: Any) -> Any:
    """Memory over the learner's step, with six segments."""
    from gpuedu.training.memory import peak_bytes, points

    device = here()
    trace = watch_stack(checkpointed_step, _stack(_SHOWN), device)
    plain = peak_bytes(watch_stack(plain_step, _stack(_SHOWN), device))
    most = peak_bytes(trace)
    caption = Caption(
        title=f"Your step, {BLOCKS} blocks in {_SHOWN} segments (an ordinary one: "
        f"{format_size(plain)})",
        x="moments: one for each storage that is made or let go",
        y="memory",
        source=f"{told_how(device)}: {SAMPLES} samples, {WIDTH} units.",
        alt=f"Areas over a step that peaks at {format_size(most)}; an ordinary step peaks at "
        f"{format_size(plain)}. In backward, saved activations rise and fall once for each segment "
        "that runs again.",
    )
    return plot_memory(points(trace), caption=caption)


CHECKPOINTING_PICTURES = {
    "checkpointing": draw_peaks,
    "training-step/checkpointed": draw_checkpointed,
}
