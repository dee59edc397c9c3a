"""time-to-accuracy: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy.searching import (
    Grid,
    Tries,
    try_search,
)
from gpuedu.exercises.contract import Answer, Play


def play_time_to_accuracy(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The points that each search ran, in order, how many it asked for, and what it chose."""
    searches = [try_search(answers[0], Grid.of(one), one["budget"]) for one in inputs["searches"]]
    return {"searches": [_told(found) for found in searches]}


def _told(found: Tries) -> dict[str, Any]:
    chosen = None if found.chosen is None else list(found.chosen)
    tried = [list(point) for point in found.points]
    return {"tried": tried, "asked": found.asked, "chosen": chosen, "kept": found.kept}


PLAY = Play(
    (Answer("search", signature=("run", "batches", "rates", "budget")),),
    play_time_to_accuracy,
    time_limit_s=5.0,
    on_machine=True,
)
