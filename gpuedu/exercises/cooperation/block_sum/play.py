"""block-sum: beside the learner's code."""

from gpuedu.exercises.cooperation.block_work import partly_active_warps, rounds_of
from gpuedu.exercises.kernels.launches import launch_play

PLAY = launch_play(
    "block_sum(x, sums)",
    writes=(),
    counts_shared=True,
    also=lambda trace: {**rounds_of(trace), **partly_active_warps(trace)},
    keep="lines",
    max_turns=600,
    time_limit_s=30.0,
)
