"""stencil: beside the learner's code."""

from __future__ import annotations

from math import prod
from typing import Any

from gpuedu.exercises.arrays.plays import observe_arithmetic
from gpuedu.exercises.kernels.launches import launch_play
from gpuedu.exercises.kernels.traffic import loads_by_block
from gpuedu.trace import Trace


def _costs(trace: Trace) -> dict[str, Any]:
    """Reads of each element of ``x`` by each block, and the arithmetic."""
    loads = loads_by_block(trace, 0, prod(trace.launch.arguments[0].shape))
    return {"x.loads": loads} | observe_arithmetic(trace)


PLAY = launch_play(
    "smooth(x, w, out)",
    counts=("x",),
    counts_shared=True,
    also=_costs,
    keep="accesses",
    time_limit_s=30.0,
)
