"""batching: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import call_play
from gpuedu.exercises.serving.batching.asking import asking
from gpuedu.exercises.serving.batching.measuring import measured
from gpuedu.exercises.serving.kept import on_copies
from gpuedu.exercises.serving.server import serve

_PERCENTILE = call_play("percentile(values, percent)")


_ANSWERS = (
    Answer("admit", signature=("waiting", "running", "free_tokens")),
    *_PERCENTILE.answers,
    Answer("metrics", signature=("log",)),
)


def play_batching(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The ids that were started each time, or what the function gives that a case asks for.

    ``changed`` says which arguments were changed.
    """
    changed: list[str] = []
    pairs = zip(_ANSWERS, answers, strict=True)
    admit, percentile, metrics = (on_copies(*pair, changed) for pair in pairs)
    if inputs["call"] == "percentile":
        return {**_PERCENTILE.run([percentile], inputs), "changed": changed}
    if inputs["call"] == "metrics":
        return {**measured(metrics, inputs["log"]), "changed": changed}
    run = serve(asking(admit), inputs["texts"], inputs["memory_tokens"])
    return {"started": [ask.started for ask in run.asks], "changed": changed}


PLAY = Play(_ANSWERS, play_batching)
