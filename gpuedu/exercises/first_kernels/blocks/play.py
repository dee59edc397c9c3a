"""blocks: beside the learner's code."""

from gpuedu.exercises.kernels.launches import launch_play

PLAY = launch_play("saxpy(a, x, y, out)")
