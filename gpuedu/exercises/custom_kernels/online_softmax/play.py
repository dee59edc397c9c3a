"""online-softmax: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.custom_kernels.online_softmax.states import called, fold
from gpuedu.exercises.plain import array


def play_online_softmax(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The result of a row in blocks, of which each part of ``parts`` begins a state anew."""
    update, merge, finish = answers
    scores, values, cuts = inputs["scores"], inputs["values"], inputs["cuts"]
    blocks = [(scores[a:b], values[a:b]) for a, b in pairwise(cuts)]
    states = [fold(update, blocks[a:b]) for a, b in pairwise(inputs["parts"])]
    state = states[0]
    for other in states[1:]:
        state = called("merge", merge, state, other)
    given = (*state[:2], state[2].copy())
    result = array(finish(given), np.float64, state[2].shape, "the result of `finish`")
    return {"result": result}


PLAY = Play(
    (
        Answer("update", signature=("state", "scores", "values")),
        Answer("merge", signature=("a", "b")),
        Answer("finish", signature=("state",)),
    ),
    play_online_softmax,
)
