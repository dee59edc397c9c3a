"""gpipe: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Inputs, Play
from gpuedu.exercises.functions import call_play
from gpuedu.exercises.pipelines.list_plays import lists_play

_LISTS = lists_play("gpipe(stage, stages, micro_batches)")
_NUMBERS = call_play("bubble(stages, micro_batches)", "micro_batches_for(stages, share) -> int")


def play_gpipe(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The lists of all stages, or the number that a case asks for."""
    if inputs["call"] == "gpipe":
        return dict(_LISTS.run(answers[:1], inputs))
    return dict(_NUMBERS.run(answers[1:], inputs))


PLAY = Play((*_LISTS.answers, *_NUMBERS.answers), play_gpipe)
