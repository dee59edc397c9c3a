"""register-tile: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.registers.kernels import compiled_tile, tile_kernel
from gpuedu.exercises.registers.products import run_product, seen_of


def play_register_tile(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``c`` after a launch of the kernel for t x t sums, its traffic, and what it compiles to."""
    (make_matmul,) = answers
    t = inputs["t"]
    kernel = tile_kernel(make_matmul, t)
    seen = seen_of(run_product(kernel, 16 * t, inputs), inputs)
    return {**seen, **(compiled_tile(kernel) if inputs["compile"] else {})}


PLAY = Play(
    (Answer("make_matmul", signature=("t", "side")),),
    play_register_tile,
    time_limit_s=40.0,
    on_machine=True,
    compiles_kernel=True,
)
