"""first-check: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import whole_number


def play_first_check(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Bytes that a copy of ``n`` elements moves."""
    (copied_bytes,) = answers
    return {"bytes": whole_number(copied_bytes(inputs["n"], inputs["itemsize"]))}


PLAY = Play((Answer("copied_bytes", signature=("n", "itemsize")),), play_first_check)
