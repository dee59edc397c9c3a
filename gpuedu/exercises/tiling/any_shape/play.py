"""any-shape: beside the learner's code."""

from gpuedu.exercises.tiling.matmul_play import matmul_play

PLAY = matmul_play("matmul(a, b, c)")
