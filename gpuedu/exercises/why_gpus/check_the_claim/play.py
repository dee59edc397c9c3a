"""check-the-claim: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import entry
from gpuedu.exercises.plain import number, text
from gpuedu.exercises.why_gpus.check_the_claim import claims


def play_check_the_claim(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """One entry of the learner's dict of corrected numbers."""
    (corrected,) = answers
    key = text(inputs["key"])
    value, name = entry(corrected, key, inputs.get("keys", claims.KEYS)), f"the entry for {key!r}"
    if value is None:
        raise AnswerError(f"{name} should be a number, got None")
    return {"value": float(number(value, name))}


PLAY = Play((Answer("corrected", dict),), play_check_the_claim)
