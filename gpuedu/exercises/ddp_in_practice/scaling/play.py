"""scaling: beside the learner's code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.ddp_in_practice.scaling.scaling_model import net_of, work_of
from gpuedu.exercises.plain import number, numbers, whole_number


def _run(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """A time, an efficiency, a number of ranks, or a recipe; with what the learner's own are."""
    step_s, efficiency, most_ranks, recipe = answers
    ask = inputs["ask"]
    if ask == "recipe":
        names = ("ranks", "batch", "peak", "steps", "scale", "optimizer")
        got = recipe(*(inputs[name] for name in names))
        return {"got": numbers(got, 3, "recipe's result")}
    work, net, batch = work_of(inputs), net_of(inputs), inputs["batch"]
    if ask == "step":
        return {"got": number(step_s(inputs["ranks"], batch, work, net), "step_s' result")}
    scaling = inputs["scaling"]
    if ask == "efficiency":
        ranks = inputs["ranks"]
        got = number(efficiency(ranks, batch, work, net, scaling), "efficiency's result")
        calls = ((1, batch), (ranks, ranks * batch), (ranks, batch))
        own = [_try(lambda n=n, b=b: step_s(n, b, work, net)) for n, b in calls]
        return {"got": got, "own": own}
    counts, handed = list(inputs["counts"]), list(inputs["counts"])
    got = most_ranks(handed, inputs["least"], batch, work, net, scaling)
    kept = handed == counts
    own = [_try(lambda n=n: efficiency(n, batch, work, net, scaling)) for n in counts]
    return {"got": whole_number(got, "most_ranks' result"), "own": own, "kept": kept}


def _try(call: Callable[[], Any]) -> float:
    """What another function of the learner gives; NaN where it fails, which its own cases tell."""
    try:
        return float(number(call()))
    except Exception:
        return float("nan")


_MODEL = ("work", "net")


PLAY = Play(
    (
        Answer("step_s", signature=("ranks", "batch", *_MODEL)),
        Answer("efficiency", signature=("ranks", "batch", *_MODEL, "scaling")),
        Answer("most_ranks", signature=("counts", "least", "batch", *_MODEL, "scaling")),
        Answer("recipe", signature=("ranks", "batch", "peak", "steps", "scale", "optimizer")),
    ),
    _run,
)
