"""sharded-optimizer: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.ddp.replicas import Task
from gpuedu.exercises.sharding.sharded_runs import train_sharded, weights_from_elsewhere
from gpuedu.exercises.sharding.updates import Rule
from gpuedu.multi.exchanges import wire_bytes_in_full


def play_sharded_optimizer(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """States by rank and step, the sizes of the pieces that each rank updated, bytes of a step.

    ``elsewhere`` is how many weights came from no update.
    """
    (step,) = answers
    task = Task.of(inputs["task"])
    run = train_sharded(step, task, Rule(**inputs["rule"]), seed=inputs["seed"])
    return {
        "states": [states for states, _ in run.results],
        "pieces": [list(updates.sizes.values()) for _, updates in run.results],
        "elsewhere": weights_from_elsewhere(run, task),
        "step_bytes": wire_bytes_in_full(run.exchanges) / len(task.sizes),
    }


PLAY = Play(
    (Answer("step", signature=("weights", "update")),),
    play_sharded_optimizer,
    time_limit_s=30.0,
    lends=True,
)
