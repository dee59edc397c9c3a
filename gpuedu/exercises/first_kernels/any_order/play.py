"""any-order: beside the learner's code."""

from gpuedu.exercises.kernels.launches import launch_play

PLAY = launch_play("starts(lengths, start)", writes=("start",), time_limit_s=30.0)
