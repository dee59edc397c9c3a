"""occupancy: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import whole_number


def play_occupancy(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Blocks on an SM for one launch, or the warps that a chain of results needs."""
    blocks_per_sm, warps_needed = answers
    if inputs["ask"] == "warps":
        got = warps_needed(inputs["latency"], inputs["independent"])
        return {"got": whole_number(got, "what `warps_needed` returned")}
    sm = dict(inputs["sm"])
    got = blocks_per_sm(sm, inputs["threads"], inputs["registers"], inputs["shared_bytes"])
    return {
        "got": whole_number(got, "what `blocks_per_sm` returned"),
        "kept": sm == inputs["sm"],
    }


PLAY = Play(
    (
        Answer("blocks_per_sm", signature=("sm", "threads", "registers", "shared_bytes")),
        Answer("warps_needed", signature=("latency", "independent")),
    ),
    play_occupancy,
    on_machine=True,
)
