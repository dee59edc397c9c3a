"""launch-shape: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import describe, flag, whole_number


def ask(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The result of one of the three functions."""
    blocks_for, can_launch, empty_lanes = answers
    if inputs["ask"] == "blocks":
        return {"got": _count(blocks_for(inputs["n"], inputs["threads"]), "the number of blocks")}
    if inputs["ask"] == "limits":
        return {"got": flag(can_launch(inputs["grid"], inputs["block"]), "`can_launch`'s result")}
    return {"got": _count(empty_lanes(inputs["threads"]), "the number of lanes")}


def _count(value: Any, name: str) -> int:
    """A whole number that a launch would take: 8.0 is refused there, too."""
    count = whole_number(value, name)
    if isinstance(value, float):  # NumPy's float64 is one
        raise AnswerError(
            f"{name} should be a whole number of type int, got {describe(float(value))}",
            remedy="A launch refuses a float, even 8.0. `int(...)` makes it whole, `//` keeps it.",
        )
    return count


PLAY = Play(
    (
        Answer("blocks_for", signature=("n", "threads")),
        Answer("can_launch", signature=("grid", "block")),
        Answer("empty_lanes", signature=("threads",)),
    ),
    ask,
)
