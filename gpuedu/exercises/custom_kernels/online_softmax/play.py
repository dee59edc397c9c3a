"""online-softmax: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.custom_kernels.online_softmax.states import State, called, fold
from gpuedu.exercises.plain import array


def play_online_softmax(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The result of a row in blocks, of which each part of ``parts`` begins a state anew.

    A state of scores that the functions never see is that of ``first``, before the first block, or
    of ``last``, to be merged with all others: so what they keep beside their states is not enough.
    """
    update, merge, finish = answers
    scores, values, cuts = inputs["scores"], inputs["values"], inputs["cuts"]
    blocks = [(scores[a:b], values[a:b]) for a, b in pairwise(cuts)]
    parts = [blocks[a:b] for a, b in pairwise(inputs["parts"])]
    state = fold(update, parts[0], _state(inputs.get("first")))
    others = [fold(update, part) for part in parts[1:]]
    last = _state(inputs.get("last"))
    for other in [*others, *([last] if last else [])]:
        state = called("merge", merge, state, other)
    given = (*state[:2], state[2].copy())
    result = array(finish(given), np.float64, state[2].shape, "the result of `finish`")
    return {"result": result}


def _state(given: Any) -> State | None:
    """A state of the case, if it has one."""
    return given and (given["largest"], given["total"], given["weighted"].copy())


PLAY = Play(
    (
        Answer("update", signature=("state", "scores", "values")),
        Answer("merge", signature=("a", "b")),
        Answer("finish", signature=("state",)),
    ),
    play_online_softmax,
)
