"""inductor-or-you: beside the learner's code."""

from gpuedu.exercises.functions import call_play

PLAY = call_play("moved(kernels, sizes, results) -> int")
