"""naive: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.exercises.tiling.naive.play import grid_of
from gpuedu.exercises.tiling.pictures import SIDE, draw_step, random_matrices


def draw_naive(blocks_for: Any, matmul_naive: Any) -> Any:
    """What a warp of the learner's kernel asks for in one step, in the learner's grid."""
    grid = grid_of(blocks_for, SIDE, SIDE)
    return draw_step(run_kernel(matmul_naive, grid, (32, 32), *random_matrices(SIDE, SIDE, 32)))


PICTURE = draw_naive
