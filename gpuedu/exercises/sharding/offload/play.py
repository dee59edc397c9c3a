"""offload: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import number
from gpuedu.exercises.sharding.offload.offload_runs import LANES, OffloadTask, run_offload


def play_offload(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """A step, with what worked when; or the numbers of tokens for some rates."""
    offload_step, tokens_to_hide = answers
    if "rates" in inputs:
        name = "what `tokens_to_hide` returned"
        given = [tokens_to_hide(*rates) for rates in inputs["rates"]]
        return {"tokens": [number(one, name) for one in given]}
    run = run_offload(offload_step, OffloadTask(**inputs["task"]))
    return {
        "weights": list(run.weights),
        "order": list(run.order),
        "updates": [int(one.label) for one in run.working_on("host")],
        "races": [str(race) for race in run.races],
        "gradients_copied": list(run.gradients_copied),
        "weights_copied": list(run.weights_copied),
        "device_bytes": run.device_bytes,
        "end_s": run.end_s,
        "busy": [[one.start_s, one.end_s] for lane in LANES for one in run.working_on(lane)],
    }


PLAY = Play(
    (
        Answer(
            "offload_step",
            signature=("device", "backward", "weights", "gradients", "updated", "update"),
        ),
        Answer("tokens_to_hide", signature=("flop_per_s", "link_bytes_per_s", "host_bytes_per_s")),
    ),
    play_offload,
    on_machine=True,
)
