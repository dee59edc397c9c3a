"""flash-attention: beside the learner's code."""

from gpuedu.exercises.kernels.programs import program_play

PLAY = program_play(
    "attention(q, k, v, o, n, scale, D, BM, BN, CAUSAL)", writes=("o",), reads=("q", "k", "v")
)
