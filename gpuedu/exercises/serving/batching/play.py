"""batching: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import call_play
from gpuedu.exercises.serving.batching.asking import asking
from gpuedu.exercises.serving.batching.measuring import measured
from gpuedu.exercises.serving.server import serve

_PERCENTILE = call_play("percentile(values, percent)")


def play_batching(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The ids that were started each time, or what the function gives that a case asks for."""
    admit, percentile, metrics = answers
    if inputs["call"] == "percentile":
        return dict(_PERCENTILE.run([percentile], inputs))
    if inputs["call"] == "metrics":
        return dict(measured(metrics, inputs["log"]))
    run = serve(asking(admit), inputs["texts"], inputs["memory_tokens"])
    return {"started": [ask.started for ask in run.asks]}


PLAY = Play(
    (
        Answer("admit", signature=("waiting", "running", "free_tokens")),
        *_PERCENTILE.answers,
        Answer("metrics", signature=("log",)),
    ),
    play_batching,
)
