"""grid-stride: beside the learner's code."""

from gpuedu.exercises.kernels.launches import launch_play

PLAY = launch_play("square(x, out)", time_limit_s=30.0)
