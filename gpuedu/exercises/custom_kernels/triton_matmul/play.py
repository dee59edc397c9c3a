"""triton-matmul: beside the learner's code."""

from gpuedu.exercises.kernels.programs import program_play

PLAY = program_play(
    "matmul(a, b, c, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, GROUP)",
    writes=("c",),
    reads=("a", "b"),
)
