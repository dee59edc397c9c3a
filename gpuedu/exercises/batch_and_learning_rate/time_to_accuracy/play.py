"""time-to-accuracy: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy.response_surface import (
    Surface,
    try_search,
)
from gpuedu.exercises.contract import Answer, Play


def play_time_to_accuracy(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The points that were run, in order, how many were asked for, and the one that was chosen."""
    found = try_search(answers[0], Surface(**inputs["surface"]), inputs["budget"])
    chosen = None if found.chosen is None else list(found.chosen)
    tried = [list(point) for point in found.points]
    return {"tried": tried, "asked": found.asked, "chosen": chosen, "kept": found.kept}


PLAY = Play(
    (Answer("search", signature=("run", "batches", "rates", "budget")),),
    play_time_to_accuracy,
    time_limit_s=5.0,
    observes="the runs of a search",
)
