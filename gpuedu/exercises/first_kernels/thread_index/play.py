"""thread-index: beside the learner's code."""

from gpuedu.exercises.kernels.launches import launch_play

PLAY = launch_play("add_ten(a, out)")
