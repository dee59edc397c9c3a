"""naive: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs
from gpuedu.exercises.plain import numbers
from gpuedu.exercises.tiling.matmul_play import matmul_play

_MOST_BLOCKS = 4
"""A grid may have so many times the blocks that it needs."""

_LAUNCH = matmul_play("matmul_naive(a, b, c)", with_tiles=False)


def play_naive(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The launch with the learner's grid, and that grid."""
    blocks_for, matmul_naive = answers
    grid = grid_of(blocks_for, *inputs["c"].shape)
    return {**_LAUNCH.run([matmul_naive], {**inputs, "grid": grid}), "grid": list(grid)}


def grid_of(blocks_for: Any, rows: int, columns: int) -> tuple[int, int]:
    """The learner's grid for a result of this shape; AnswerError where none can be launched."""
    given = blocks_for(rows, columns)
    call = f"`blocks_for({rows}, {columns})`"
    pair = numbers(given, 2, call)
    if any(isinstance(value, float) for value in pair):
        raise AnswerError(
            f"{call} gave {tuple(pair)}, and a launch takes whole numbers, of type int",
            remedy="`/` and `np.ceil` give floats; `//` and `math.ceil` give ints.",
        )
    grid = (int(pair[0]), int(pair[1]))
    needed = -(-rows // 32) * -(-columns // 32)
    if min(grid) < 1 or grid[0] * grid[1] > _MOST_BLOCKS * needed:
        raise AnswerError(
            f"{call} gave {grid}, and a block has 32 x 32 threads",
            remedy="How many blocks does it take along x, and along y, to have a thread for each "
            "element of `c`? Whole blocks, rounded up.",
        )
    return grid


_BLOCKS_FOR = Answer("blocks_for", signature=("rows", "columns"))
PLAY = replace(_LAUNCH, answers=(_BLOCKS_FOR, *_LAUNCH.answers), run=play_naive)
