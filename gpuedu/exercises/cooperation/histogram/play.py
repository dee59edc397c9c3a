"""histogram: beside the learner's code."""

from gpuedu.exercises.cooperation.busiest_warps import busiest_warps
from gpuedu.exercises.kernels.launches import launch_play

PLAY = launch_play(
    "histogram(values, hist)",
    writes=(),
    counts=("values", "hist"),
    counts_shared=True,
    also=lambda trace: busiest_warps(trace, ("values", "hist")),
    max_turns=3500,  # a thread that looks through all values for each of its bins is slow
    time_limit_s=30.0,
)
