"""make-it-fast-too: beside the learner's program, which runs from its texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.capstone.make_it_fast_too.counting import (
    count_together,
    count_training,
    count_writing,
)
from gpuedu.exercises.capstone.programs import require_program
from gpuedu.exercises.contract import Answer, Inputs, Play


def play_make_it_fast_too(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the program gives and costs: in training, alone or on ranks, or in writing."""
    program = require_program(answers[0])
    if "weights" in inputs:
        return count_writing(program, inputs["seed"], inputs["weights"].tobytes())
    if inputs["ranks"] == 1:
        return count_training(program, inputs["seed"])
    return count_together(program, inputs["seed"], inputs["ranks"])


PLAY = Play(
    (Answer("program", kind=dict),),
    play_make_it_fast_too,
    time_limit_s=120.0,
    on_machine=True,
    compiles=True,
)
