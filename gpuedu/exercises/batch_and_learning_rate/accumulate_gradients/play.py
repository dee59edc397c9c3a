"""accumulate-gradients: beside the learner's code."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.accumulation import (
    Step,
    Task,
    gradients_of,
    passing_bytes,
    run_steps,
)
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.training.tensors import as_number

_NOT_SCALAR = "scalar outputs"


def play_accumulate_gradients(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Gradients, updates and losses of some steps, or what a step holds at its peak."""
    step = _named(answers[0])
    fields = dict(inputs["task"])
    task = Task(**(fields | {"sizes": tuple(fields["sizes"])}))
    if inputs["ask"] == "memory":
        found: list[Any] = []
        peak = passing_bytes(step, task, lambda model: found.append(gradients_of(model)))
        return {"peak": peak, "gradients": found[:1]}
    seen = run_steps(step, task)
    return {
        "gradients": [list(one.gradients) for one in seen],
        "updates": [one.updates for one in seen],
        "losses": [_loss(one.result) for one in seen],
        "kept": all(one.kept for one in seen),
        "evaluates": next((one.evaluates for one in seen if one.evaluates), ""),
    }


def _loss(result: Any) -> dict[str, Any]:
    """The loss as a number, or why it is none; whether it still hangs on a graph.

    A loss that is no number is judged as such: the gradients may be right.
    """
    attached = bool(getattr(result, "requires_grad", False))
    try:
        value = as_number(result, "the loss that your step returned")
    except AnswerError as refusal:
        return {"value": math.nan, "refusal": refusal.message, "attached": attached}
    return {"value": value, "refusal": "", "attached": attached}


def _named(step: Step) -> Step:
    """The step, with PyTorch's refusal of a loss that is not one number in the course's words."""

    def call(*arguments: Any) -> Any:
        from gpuedu.training.errors import LossError

        try:
            return step(*arguments)
        except RuntimeError as fault:
            if _NOT_SCALAR not in str(fault):
                raise
            # With the learner's own line, which the traceback has.
            raise LossError(
                "backward was called on a loss that is not one number",
                remedy='a sum or a mean: not reduction="none"',
            ).with_traceback(fault.__traceback__) from None

    return call


PLAY = Play(
    (Answer("accumulated_step", signature=("model", "optimizer", "micro_batches", "max_norm")),),
    play_accumulate_gradients,
    time_limit_s=20.0,
    by_operations=True,
    lends=True,
)
