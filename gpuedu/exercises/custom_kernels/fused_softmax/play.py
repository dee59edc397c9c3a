"""fused-softmax: beside the learner's code."""

from gpuedu.exercises.kernels.programs import program_play

PLAY = program_play("softmax(x, out, columns, BLOCK)", reads=("x",))
