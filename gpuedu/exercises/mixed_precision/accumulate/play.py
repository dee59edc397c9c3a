"""accumulate: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.mixed_precision.left_alone import call_and_compare
from gpuedu.exercises.plain import number


def play_accumulate(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """One of the three sums of some float16 numbers, or the dot product of two arrays."""
    functions = dict(zip(("running", "pairwise", "kahan", "dot"), answers, strict=True))
    ask = inputs["ask"]
    name = ask if ask == "dot" else f"{ask}_sum"
    names = ("a", "b") if ask == "dot" else ("values",)
    given = [inputs[one].copy() for one in names]
    with np.errstate(all="ignore"):  # a sum that overflows is seen in its result
        got = call_and_compare(functions[ask], name, names, *given)
    return {"got": number(got, f"the result of `{name}`")}


PLAY = Play(
    answers=(
        Answer("running_sum", signature=("values",)),
        Answer("pairwise_sum", signature=("values",)),
        Answer("kahan_sum", signature=("values",)),
        Answer("dot", signature=("a", "b")),
    ),
    run=play_accumulate,
)
