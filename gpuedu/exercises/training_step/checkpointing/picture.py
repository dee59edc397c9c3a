"""checkpointing: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.plain import number
from gpuedu.exercises.training_step.checkpointing.block_stacks import passing_peak, watch_stack
from gpuedu.exercises.training_step.checkpointing.checkpointing_pictures import (
    BLOCKS,
    SAMPLES,
    WIDTH,
    _stack,
)
from gpuedu.exercises.training_step.checkpointing.plain_step import plain_step
from gpuedu.exercises.training_step.memory_pictures import here, told_how
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses

SEGMENTS = (1, 2, 3, 4, 5, 6, 9, 12, 18, 36)


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
        source=f"{told_how(device)}: {BLOCKS} blocks of {WIDTH} units, {SAMPLES:,} samples; "
        "without weights and their gradients.",
        alt=f"Peak over the number of segments: {counted[0]:.2f} MiB for 1, least "
        f"{min(counted):.2f} MiB for {least}, {counted[-1]:.2f} MiB for {BLOCKS}; an ordinary step "
        f"has {plain:.2f} MiB.",
    )
    return plot_losses(curves, caption=caption, ceiling=1e9)


PICTURE = draw_peaks
