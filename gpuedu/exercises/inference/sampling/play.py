"""sampling: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import array, whole_number


def play_sampling(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The probabilities of all tokens, or the token that each of some numbers draws."""
    probabilities, draw = answers
    if inputs["call"] == "probabilities":
        scores = inputs["scores"].copy()
        settings = (inputs[name] for name in ("temperature", "top_k", "top_p"))
        return {"p": distribution(probabilities, scores, *settings), "scores_after": scores}
    copies = [inputs["p"].copy() for _ in inputs["us"]]
    tokens = [drawn(draw, p, u) for p, u in zip(copies, inputs["us"], strict=True)]
    return {"tokens": tokens, "p_after": copies[0]}


def distribution(
    probabilities: Any, scores: np.ndarray, temperature: float, top_k: int | None, top_p: Any
) -> np.ndarray:
    """What ``probabilities`` gives, of the right dtype and shape.

    Raises:
        AnswerError: it gives something else.
    """
    found = probabilities(scores, temperature, top_k, top_p)
    return array(found, np.float64, scores.shape, "the result of `probabilities`")


def drawn(draw: Any, p: np.ndarray, u: float) -> int:
    """The token that ``draw`` gives, as a whole number."""
    return whole_number(draw(p, u), "the result of `draw`")


PLAY = Play(
    (
        Answer("probabilities", signature=("scores", "temperature", "top_k", "top_p")),
        Answer("draw", signature=("p", "u")),
    ),
    play_sampling,
)
