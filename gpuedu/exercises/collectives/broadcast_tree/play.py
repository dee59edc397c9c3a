"""broadcast-tree: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.collectives.collective_runs import collect
from gpuedu.exercises.collectives.play_exchanging import LIMIT_S, tensors_of
from gpuedu.exercises.contract import Answer, Inputs, Play


def play_broadcast_tree(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What each rank holds after a broadcast from the root."""
    (broadcast_tree,) = answers
    found = collect(broadcast_tree, tensors_of(inputs), inputs["root"], late=inputs["late"])
    return found.plain(inputs["shape"])


PLAY = Play(
    (Answer("broadcast_tree", signature=("x", "root")),),
    play_broadcast_tree,
    LIMIT_S,
    observes="messages between simulated ranks",
)
