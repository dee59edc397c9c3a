"""checkpointing: what is measured on the learner's machine."""

from __future__ import annotations

from typing import Any

from gpuedu.clock import time_launch
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.checkpointing.block_stacks import (
    Stack,
    build_stack,
    count_flop,
    loss_of,
)
from gpuedu.exercises.training_step.checkpointing.plain_step import plain_step

_ROUNDS = 3


_STACK = Stack(blocks=16, segments=4, width=128, samples=256)


def measure_checkpointing(checkpointed_step: Any) -> dict[str, Any]:
    """The least of some medians in seconds, and how many times as long and as much FLOP.

    On the GPU where there is one, else on the CPU with one thread.
    """
    import torch

    on_gpu = torch.cuda.is_available()
    device = "cuda" if on_gpu else "cpu"
    segments, x, y = build_stack(_STACK)
    for segment in segments:
        segment.to(device)
    x, y = x.to(device), y.to(device)
    sync = torch.cuda.synchronize if on_gpu else lambda: None

    def median_s(step: Any) -> float:
        def launch() -> None:
            for segment in segments:
                segment.zero_grad(set_to_none=True)
            step(segments, x, y, loss_of)

        return time_launch(launch, sync, most=3).median_s

    # In turns, so that whatever else the machine does slows both.
    with quiet_torch():
        rounds = [(median_s(plain_step), median_s(checkpointed_step)) for _ in range(_ROUNDS)]
    ordinary_s, own_s = (min(times) for times in zip(*rounds, strict=True))
    flop = count_flop(checkpointed_step, _STACK) / count_flop(plain_step, _STACK)
    return {
        "device": torch.cuda.get_device_name() if on_gpu else "one core of this machine",
        "ordinary_s": round(ordinary_s, 6),
        "checkpointed_s": round(own_s, 6),
        "times_as_long": round(own_s / ordinary_s, 2),
        "times_the_flop": round(flop, 2),
    }


MEASURE = measure_checkpointing
