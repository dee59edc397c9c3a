"""The play of ``histogram``: launch the learner's kernel on values that gather in one bin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.cooperation.warp_loads import busiest_warps
from gpuedu.exercises.kernels.launching import observe, run_kernel
from gpuedu.exercises.kernels.traffic import array_traffic, shared_traffic


def play_histogram(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """``hist`` after a launch, the atomics by memory, the busiest warps, and what was found."""
    (histogram,) = answers
    values, hist = inputs["values"], inputs["hist"]
    blocks, threads = inputs["blocks"], inputs["threads"]
    # A thread that looks through all values for each of its bins is slow, not endless.
    turns = 600 + values.size * -(-hist.size // (blocks * threads))
    trace = run_kernel(histogram, blocks, threads, values, hist, max_turns=turns)
    busiest = busiest_warps(trace, ("values", "hist"))
    return {
        **observe(trace, {"values": values, "hist": hist}),
        "on values": array_traffic(trace, 0),
        "on hist": array_traffic(trace, 1),
        "on shared": shared_traffic(trace),
        **{f"busiest {name}": found for name, found in busiest.items()},
    }


HISTOGRAM = Play(
    (Answer("histogram", signature=("values", "hist")),), play_histogram, time_limit_s=30.0
)
