"""no-sync: beside the learner's code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.ddp.no_sync.micro_batches import MicroTask, run_steps, try_block
from gpuedu.multi.exchanges import wire_bytes_in_full


def play_no_sync(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Calls of a backward within or behind a block; or states by rank and step, with bytes."""
    parallel_class, no_sync, step = answers
    functions = [no_sync, step, getattr(parallel_class, "backward", None)]
    if inputs["ask"] == "block":
        run = try_block(parallel_class, no_sync, inputs["phase"], functions)
        return {"calls": len(run.exchanges), "came_out": all(run.results)}
    task = MicroTask.of(inputs["task"])
    run = run_steps(parallel_class, step, task, answers=functions, seed=inputs["seed"])
    return {
        "states": [list(one.states) for one in run.results],
        "most_samples": [one.most_samples for one in run.results],
        "kept": all(one.kept for one in run.results),
        "is_on": all(one.is_on for one in run.results),
        "step_bytes": wire_bytes_in_full(run.exchanges) / task.steps,
    }


PLAY = Play(
    (
        Answer("Parallel", kind=type),
        Answer("no_sync", kind=Callable, signature=("parallel",)),  # a class will do
        Answer("accumulated_step", signature=("parallel", "optimizer", "micro_batches")),
    ),
    play_no_sync,
    time_limit_s=30.0,
    observes="messages between simulated ranks, and a model's steps",
)
