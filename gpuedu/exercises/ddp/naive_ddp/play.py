"""naive-ddp: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.ddp.replicas import Task, train_ranks
from gpuedu.multi.exchanges import wire_bytes_in_full


def play_naive_ddp(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """States by rank and step, and the bytes of the steps, those of the start left out."""
    start, average = answers
    task, seed = Task.of(inputs["task"]), inputs["seed"]
    run = train_ranks(start, average, task, steps=inputs["steps"], seed=seed)
    observed: dict[str, Any] = {"states": [list(states) for states in run.results]}
    if inputs["counts_bytes"]:
        begun = train_ranks(start, average, task, steps=0, seed=seed)
        both = [wire_bytes_in_full(one.exchanges) for one in (run, begun)]
        observed["step_bytes"] = (both[0] - both[1]) / len(task.sizes)
    return observed


PLAY = Play(
    (
        Answer("start", signature=("model",)),
        Answer("average", signature=("model", "samples")),
    ),
    play_naive_ddp,
    time_limit_s=30.0,
)
