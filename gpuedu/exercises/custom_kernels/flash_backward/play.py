"""flash-backward: beside the learner's code."""

from gpuedu.exercises.kernels.programs import program_play

READ = ("q", "k", "v", "out", "grad", "lse")
PLAY = program_play(
    "backward(q, k, v, out, grad, lse, dk, dv, n, scale, D, BM, BN)",
    writes=("dk", "dv"),
    reads=READ,
)
