"""tiled: beside the learner's code."""

from gpuedu.exercises.tiling.matmul_play import matmul_play

PLAY = matmul_play("matmul_tiled(a, b, c)")
