"""transpose: beside the learner's code."""

from gpuedu.exercises.kernels.launches import launch_play

PLAY = launch_play("transpose(m, out)", counts=("m", "out"), counts_shared=True, time_limit_s=30.0)
