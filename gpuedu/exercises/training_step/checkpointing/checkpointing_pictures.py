"""Pictures of checkpointing: the peak by the number of segments, and memory over one step."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.training_step.checkpointing.block_stacks import Stack, watch_stack
from gpuedu.exercises.training_step.checkpointing.plain_step import plain_step
from gpuedu.exercises.training_step.memory_pictures import here, told_how
from gpuedu.figures.caption import Caption
from gpuedu.figures.training.memory import plot_memory
from gpuedu.units import format_size

BLOCKS, WIDTH, SAMPLES = 36, 64, 1024


_SHOWN = 6


def _stack(segments: int) -> Stack:
    return Stack(BLOCKS, segments, width=WIDTH, samples=SAMPLES)


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
        x="moments: one for each storage that is made or freed",
        y="memory",
        source=f"{told_how(device)}: {SAMPLES:,} samples, {WIDTH} units.",
        alt=f"Areas over a step that peaks at {format_size(most)}; an ordinary step peaks at "
        f"{format_size(plain)}. In the backward pass, saved activations rise and fall once for "
        f"each segment "
        "that runs again.",
    )
    return plot_memory(points(trace), caption=caption)
