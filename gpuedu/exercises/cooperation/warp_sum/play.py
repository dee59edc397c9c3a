"""warp-sum: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.cooperation.block_work import barriers_and_memory, rounds_of
from gpuedu.exercises.kernels.launches import launch_play
from gpuedu.exercises.kernels.launching import observe, run_kernel

_SUMS = launch_play(
    "sum_by_warps(x, sums)",
    writes=(),
    also=lambda trace: {**rounds_of(trace), **barriers_and_memory(trace)},
    max_turns=1200,  # one thread that adds 1,024 elements is slow, not endless
)


def play_warp_sum(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What one warp's lanes get from the device function, or ``sums`` after a launch."""
    warp_sum, sum_by_warps = answers
    if inputs["ask"] == "sums":
        return dict(_SUMS.run((sum_by_warps,), inputs))
    x = inputs["x"]
    got = np.full(x.size, np.nan)
    try:
        trace = run_kernel(call_on_lanes(warp_sum), 1, x.size, x, got)
    except AnswerError as fault:
        if f"`{call_on_lanes.__name__}`" not in fault.message:
            raise
        raise AnswerError(
            "a kernel that calls `warp_sum(value)` gets no number from it",
            remedy="Is a `return` missing? And is `@cuda.jit(device=True)` above `def`?",
        ) from None
    return {**observe(trace, {"got": got}), **rounds_of(trace)}


def call_on_lanes(device_function: Any) -> Any:
    """A kernel ``(x, got)`` in which each thread calls a device function on its element of ``x``.

    Launched with one thread for each element; each thread writes its own element of ``got``.
    """
    from gpuedu.backend import cuda

    @cuda.jit
    def call_on_lanes(x, got):
        i = cuda.grid(1)
        got[i] = device_function(x[i])

    return call_on_lanes


PLAY = Play(
    (
        Answer("warp_sum", signature=("value",)),
        Answer("sum_by_warps", signature=("x", "sums")),
    ),
    play_warp_sum,
    time_limit_s=30.0,
    on_machine=True,
)
