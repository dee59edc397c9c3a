"""Bytes that a rank keeps and needs at each stage, counted piece by piece."""

from __future__ import annotations

import math
from collections.abc import Sequence

WEIGHT, GRADIENT, STATE = 2, 2, 12
"""Bytes of a parameter: bfloat16, bfloat16, and three numbers of float32."""
STAGES = range(4)


def kept(layers: Sequence[int], ranks: int, stage: int) -> dict[str, float]:
    """What a rank keeps from step to step, by kind."""

    def share(size: int, first: int) -> int:
        each = (math.ceil(n / ranks) if stage >= first else n for n in layers)
        return size * sum(each)

    return {
        "weights": share(WEIGHT, 3),
        "gradients": share(GRADIENT, 2),
        "states": share(STATE, 1),
    }


def peak(layers: Sequence[int], ranks: int, stage: int) -> int:
    """The most that a rank has at once, layer by layer through the backward pass."""
    gathered = [ranks * math.ceil(n / ranks) for n in layers]
    most = 0
    for at, size in enumerate(gathered):
        passing = GRADIENT * size if stage >= 2 else 0
        if stage == 3:
            before = gathered[at - 1] if at else 0
            passing += WEIGHT * (size + before)
        most = max(most, passing)
    return int(sum(kept(layers, ranks, stage).values())) + most


def needed(layers: Sequence[int], ranks: int, memory_bytes: int) -> float:
    """The lowest stage that fits; infinite where none does."""
    fitting = (stage for stage in STAGES if peak(layers, ranks, stage) <= memory_bytes)
    return next(fitting, math.inf)
