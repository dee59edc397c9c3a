"""launch-bound: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import number, whole_number


def play_launch_bound(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The launch's share of the time, or the work that makes it small."""
    launch_share, elements_for_share = answers
    launch_s, rate = inputs["launch_s"], inputs["elements_per_s"]
    if inputs["ask"] == "share":
        return {"share": number(launch_share(launch_s, rate, inputs["n"]), "the share")}
    got = elements_for_share(launch_s, rate, inputs["share"])
    return {"n": whole_number(got, "the number of elements")}


PLAY = Play(
    (
        Answer("launch_share", signature=("launch_s", "elements_per_s", "n")),
        Answer("elements_for_share", signature=("launch_s", "elements_per_s", "share")),
    ),
    play_launch_bound,
)
