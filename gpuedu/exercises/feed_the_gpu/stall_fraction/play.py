"""stall-fraction: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.plain import describe, number, numbers, text


def play_stall_fraction(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The time of a step, when steps are done, a share, or a name."""
    step_s, done_times, stall_share, bottleneck = answers
    if inputs["ask"] == "step":
        got = step_s(inputs["load_s"], inputs["compute_s"], inputs["overlap"])
        return {"got": number(got, "the time of a step")}
    given = {name: list(inputs[name]) for name in ("loads_s", "computes_s")}
    if inputs["ask"] == "done":
        with left_as_given("done_times", **given):
            got = done_times(*given.values(), inputs["depth"])
        return {"got": numbers(got, len(inputs["loads_s"]), "done_times' result")}
    if inputs["ask"] == "stall":
        with left_as_given("stall_share", **given):
            got = stall_share(*given.values(), inputs["depth"])
        return {"got": number(got, "the share"), "last_done": _last_done(done_times, inputs)}
    with left_as_given("bottleneck", **given):
        name = text(bottleneck(*given.values()), "bottleneck's result")
    if name not in BOTTLENECKS:
        wanted = " or ".join(f'"{one}"' for one in BOTTLENECKS)
        raise AnswerError(f"bottleneck's result should be {wanted}, got {describe(name)}")
    return {"got": name}


def _last_done(done_times: Any, inputs: Inputs) -> float:
    """When the last step is done by the learner's own `done_times`; 0 where that fails."""
    try:
        times = done_times(list(inputs["loads_s"]), list(inputs["computes_s"]), inputs["depth"])
        return numbers(times, len(inputs["loads_s"]), "done_times' result")[-1]
    except Exception:  # what is wrong with it is told where it is asked for
        return 0.0


BOTTLENECKS = ("loader", "device")


PLAY = Play(
    (
        Answer("step_s", signature=("load_s", "compute_s", "overlap")),
        Answer("done_times", signature=("loads_s", "computes_s", "depth")),
        Answer("stall_share", signature=("loads_s", "computes_s", "depth")),
        Answer("bottleneck", signature=("loads_s", "computes_s")),
    ),
    play_stall_fraction,
)
