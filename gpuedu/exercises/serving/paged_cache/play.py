"""paged-cache: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import call_play
from gpuedu.exercises.serving.paged_cache.blocks import new_state, operate, read_state, told

_WASTE = call_play("wasted_share(lengths, size, longest) -> contiguous, in_blocks")


def play_paged_cache(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """After each operation: the place that it gave, and the state; or the shares of waste."""
    *functions, wasted_share = answers
    if inputs["call"] == "wasted_share":
        return dict(_WASTE.run([wasted_share], inputs))
    named = dict(zip(("append", "fork", "release"), functions, strict=True))
    state = new_state(inputs["blocks"], inputs["size"])
    steps = []
    for operation in inputs["operations"]:
        place = operate(named, state, operation)
        steps.append({"place": place, **read_state(state, told(operation))})
    return {"steps": steps}


PLAY = Play(
    (
        Answer("append", signature=("state", "text")),
        Answer("fork", signature=("state", "old", "new")),
        Answer("release", signature=("state", "text")),
        *_WASTE.answers,
    ),
    play_paged_cache,
)
