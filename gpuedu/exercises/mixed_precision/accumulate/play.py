"""accumulate: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.training.tensors import as_number


def play_accumulate(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """One of the three sums of some float16 numbers, or the dot product of two arrays."""
    functions = dict(zip(("running", "pairwise", "kahan", "dot"), answers, strict=True))
    ask = inputs["ask"]
    name = ask if ask == "dot" else f"{ask}_sum"
    names = ("a", "b") if ask == "dot" else ("values",)
    given = {one: inputs[one].copy() for one in names}
    with np.errstate(all="ignore"), left_as_given(name, **given):
        got = functions[ask](*given.values())  # a sum that overflows is seen in its result
    return {"got": as_number(got, f"the result of `{name}`")}


PLAY = Play(
    answers=(
        Answer("running_sum", signature=("values",)),
        Answer("pairwise_sum", signature=("values",)),
        Answer("kahan_sum", signature=("values",)),
        Answer("dot", signature=("a", "b")),
    ),
    run=play_accumulate,
)
