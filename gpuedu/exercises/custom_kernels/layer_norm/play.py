"""layer-norm: beside the learner's code."""

from gpuedu.exercises.kernels.programs import program_play

PLAY = program_play(
    "layer_norm(x, out, weight, bias, columns, eps, BLOCK)", reads=("x", "weight", "bias")
)
