"""The play of a schedule: a function of the learner's that lists what each stage does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import read_call
from gpuedu.exercises.pipelines.schedules import lists_of, plain


def lists_play(call: str) -> Play:
    """A play that asks for the lists of all stages, and observes them as ``lists``.

    Args:
        call: how the exercise writes the function, such as "gpipe(stage, stages, micro_batches)".
            A case's inputs hold what comes after ``stage``, by name.
    """
    name, parameters = read_call(call)

    def run(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
        (schedule,) = answers
        return {"lists": plain(lists_of(schedule, *(inputs[one] for one in parameters[1:])))}

    return Play((Answer(name, signature=parameters),), run)
