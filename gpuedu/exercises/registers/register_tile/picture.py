"""register-tile: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.registers.kernels import tile_kernel
from gpuedu.exercises.registers.pictures import draw_banks, product
from gpuedu.exercises.registers.products import run_product
from gpuedu.trace import Trace


def draw_register_tile(make_matmul: Any) -> Any:
    """The costliest request to shared memory of the kernel for 4 x 4 sums."""
    return draw_banks(run_tile(make_matmul, 4))


def run_tile(make_matmul: Any, t: int, k: int = 8) -> Trace:
    """Launch the learner's kernel for t x t sums on one tile."""
    return run_product(tile_kernel(make_matmul, t), 16 * t, product(16 * t, 16 * t, k))


PICTURE = draw_register_tile
