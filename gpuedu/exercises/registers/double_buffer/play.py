"""double-buffer: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.registers.double_buffer.access_order import order_of_accesses
from gpuedu.exercises.registers.products import run_product, seen_of


def play_double_buffer(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``c`` after a launch, and in which order a warp asks, uses and stores in each step."""
    (matmul,) = answers
    trace = run_product(matmul, 64, inputs)
    return {**seen_of(trace, inputs), **order_of_accesses(trace)}


PLAY = Play(
    (Answer("matmul", signature=("a", "b", "c")),),
    play_double_buffer,
    time_limit_s=30.0,
    on_machine=True,
)
