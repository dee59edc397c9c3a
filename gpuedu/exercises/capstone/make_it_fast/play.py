"""make-it-fast: beside the learner's program, which runs from its texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.capstone.programs import loaded, require_program
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.training.quiet import quiet_torch

LABEL = "fast"
"""The folder that errors name."""


def play_make_it_fast(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the program gives and costs, alone or on several ranks; see ``capstone.runs``."""
    from gpuedu.exercises.capstone.runs import run_alone, run_together
    from gpuedu.exercises.capstone.untouched import torch_untouched

    program = require_program(answers[0])
    with quiet_torch(), torch_untouched(), loaded(program, LABEL, "train") as train:
        if inputs["ranks"] == 1:
            return run_alone(train.run, inputs["seed"])
        return run_together(train.run, inputs["seed"], inputs["ranks"])


PLAY = Play(
    (Answer("program", kind=dict),),
    play_make_it_fast,
    time_limit_s=120.0,
    on_machine=True,
    compiles=True,
)
