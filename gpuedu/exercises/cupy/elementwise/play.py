"""elementwise: beside the learner's code."""

from gpuedu.exercises.arrays.kernel_objects import elementwise_on_machine
from gpuedu.exercises.arrays.plays import kernel_play

PLAY = kernel_play("gelu", elementwise_on_machine)
