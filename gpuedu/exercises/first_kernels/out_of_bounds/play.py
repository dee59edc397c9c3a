"""out-of-bounds: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.kernels.launches import launch_play
from gpuedu.exercises.plain import whole_number

_LAUNCH = launch_play("rises(x, out)")


def observe(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """One entry of what was found, or the mended kernel on one case."""
    found, rises = answers
    if inputs["ask"] == "kernel":
        return dict(_LAUNCH.run((rises,), inputs))
    key = inputs["key"]
    if key not in found:
        raise AnswerError(f"the dict has no entry for {key!r}")
    return {"got": whole_number(found[key], f"the entry for {key!r}")}


PLAY = Play((Answer("found", dict), *_LAUNCH.answers), observe, on_machine=True)
