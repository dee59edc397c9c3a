"""coalesced-copy: beside the learner's code."""

from __future__ import annotations

from math import prod
from typing import Any

from gpuedu.exercises.kernels.launches import launch_play
from gpuedu.exercises.kernels.traffic import loads_by_block
from gpuedu.trace import Trace


def _loads(trace: Trace) -> dict[str, Any]:
    """Reads of each element of ``src``, by all blocks together."""
    size = prod(trace.launch.arguments[0].shape)
    return {"src.loads": loads_by_block(trace, 0, size).sum(axis=0)}


PLAY = launch_play(
    "copy_striped(src, dst)",
    writes=("dst",),
    counts=("src", "dst"),
    also=_loads,
    keep="accesses",
    time_limit_s=30.0,
)
