"""cuda-graphs: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.functions import call_play
from gpuedu.exercises.into_pytorch.cuda_graphs.graph_runs import run_by_graph

_NUMBERS = call_play(
    "step_times(kernels, kernel_us, launch_us, replay_us, node_us) -> eager_us, graph_us",
    "no_gain_from(kernels, launch_us, replay_us, node_us)",
)


def play_cuda_graphs(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """A run on the simulated device, or a call of one of the two formulas."""
    run_captured, *formulas = answers
    if "call" in inputs:
        return _NUMBERS.run(formulas, inputs)
    given = list(zip(inputs["xs"], inputs["lrs"], strict=True))
    run = run_by_graph(run_captured, inputs["weights"], given)
    return {
        "got": list(run.got),
        "made": list(run.made),
        "refused": list(run.refused),
        "captures": run.captures,
        "step_calls": run.step_calls,
        "changed": run.changed,
    }


PLAY = Play(
    (Answer("run_captured", signature=("device", "step", "inputs")), *_NUMBERS.answers),
    play_cuda_graphs,
    on_machine=True,
)
