"""tree-or-ring: beside the learner's code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.collectives.all_reduce_schedules import rounds_of
from gpuedu.exercises.collectives.play_costs import LINK
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import describe, number, text

WAYS = ("tree", "ring")


def play_tree_or_ring(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """A schedule as rows (round, from, to, bytes), a size, or the ways that were chosen."""
    tree_schedule, crossover, choose = answers
    ranks = inputs["ranks"]
    if inputs["ask"] == "schedule":
        rounds = rounds_of(tree_schedule(ranks, inputs["size_bytes"]))
        rows = [(i, *message) for i, messages in enumerate(rounds) for message in messages]
        return {"rows": np.array(rows, object).reshape(-1, 4).tolist(), "rounds": len(rounds)}
    link = inputs["alpha_s"], inputs["bytes_per_s"]
    if inputs["ask"] == "crossover":
        return {"got": number(crossover(ranks, *link), "crossover's result")}
    ways = [way_of(choose(ranks, size, *link)) for size in inputs["sizes_bytes"]]
    return {"got": ways, "crossover": _number_or_nan(lambda: crossover(ranks, *link))}


def _number_or_nan(call: Callable[[], Any]) -> float:
    """What a function of the learner gives; NaN where it fails, which another case tells."""
    try:
        return number(call(), "crossover's result")
    except Exception:
        return float("nan")


def way_of(value: Any) -> str:
    """The learner's choice; AnswerError where it is neither."""
    wanted = " or ".join(f'"{way}"' for way in WAYS)
    if not isinstance(value, str) or (way := text(value, "choose's result")) not in WAYS:
        raise AnswerError(f"choose's result should be {wanted}, got {describe(value)}")
    return way


PLAY = Play(
    (
        Answer("tree_schedule", signature=("ranks", "size_bytes")),
        Answer("crossover", signature=("ranks", *LINK)),
        Answer("choose", signature=("ranks", "size_bytes", *LINK)),
    ),
    play_tree_or_ring,
)
