"""count-the-step: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gpuedu.exercises.contract import Inputs
from gpuedu.exercises.functions import RESULT, call_play

_CALLS = call_play(
    "norm_flop(samples, length, width) -> int",
    "attention_flop(samples, length, width) -> int",
    "gpt_flop(samples, length, width, layers, vocabulary) -> int",
    "gpt_step_flop(samples, length, width, layers, vocabulary) -> int",
    "mlp_step_flop(samples, widths) -> int",
)
_PART_OF = {"gpt_flop": "attention_flop", "gpt_step_flop": "gpt_flop"}


def play_count_the_step(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The ``result`` of a call, and ``own``: the learner's count of what it is made of."""
    seen = _CALLS.run(answers, inputs)
    part = _PART_OF.get(inputs["call"])
    return {**seen, "own": _own(answers, {**inputs, "call": part})} if part else seen


def _own(answers: Sequence[Any], inputs: Inputs) -> float | None:
    """The learner's own count of a part; None where there is none yet."""
    try:
        return _CALLS.run(answers, inputs)[RESULT]
    except Exception:  # judged where it is asked for itself
        return None


PLAY = replace(_CALLS, run=play_count_the_step)
