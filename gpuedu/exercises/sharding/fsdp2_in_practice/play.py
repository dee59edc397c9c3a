"""fsdp2-in-practice: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import call_play
from gpuedu.exercises.sharding.fsdp2_in_practice.blocks_model import BlocksSpec, build_blocks
from gpuedu.exercises.sharding.fsdp2_in_practice.wrapping import RefusedError, Wrapping
from gpuedu.exercises.training.quiet import quiet_torch

_CALLS = call_play(
    "messages(units) -> gathers, reductions",
    "gathered_bytes(shapes, ranks) -> int",
    "peak(units) -> int",
)


def play_fsdp2(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The calls of ``fully_shard`` in their order, and what was refused; or a function's result."""
    shard, *functions = answers
    if inputs["call"] != "shard":
        return dict(_CALLS.run(functions, inputs))
    with quiet_torch():
        model = build_blocks(BlocksSpec.of(inputs["model"]))
        wrapping, refused = Wrapping(model), ""
        try:
            shard(model, wrapping.fully_shard)
        except RefusedError as fault:
            refused = fault.message
    return {"calls": [list(one) for one in wrapping.calls], "refused": refused}


PLAY = Play(
    (Answer("shard", signature=("model", "fully_shard")), *_CALLS.answers), play_fsdp2, lends=True
)
