"""plan: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import call_play
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.pipelines.parallel_plans import (
    as_cluster,
    as_model,
    plain,
    why_impossible,
)
from gpuedu.exercises.pipelines.plan_answers import plan_of

MEMORY = ("bytes of parameters", "bytes of activations")
TIMES = (
    "s of computing",
    "s of all-reduces",
    "s between stages",
    "s of bubble",
    "s of gradients and weights",
)
_NUMBERS = call_play(
    f"memory_bytes(model, plan) -> {', '.join(MEMORY)}",
    f"times_s(model, cluster, plan) -> {', '.join(TIMES)}",
)


def play_plan(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The numbers of a plan that a case gives, or the plan that they choose.

    Of the latter, ``plan`` are its five numbers; ``memory`` and ``times`` what their own functions
    say of it. All are empty where there is no plan, and these where it breaks a rule.
    """
    if inputs["call"] != "best_plan":
        return dict(_NUMBERS.run(answers[:2], inputs))
    model, cluster = dict(inputs["model"]), dict(inputs["cluster"])
    with left_as_given("best_plan", model=model, cluster=cluster):
        plan = plan_of(answers[2](model, cluster))
    if plan is None:
        return {"plan": [], "memory": [], "times": []}
    found: dict[str, Any] = {"plan": list(astuple(plan)), "memory": [], "times": []}
    if not why_impossible(as_model(model), as_cluster(cluster), plan):
        given = {**inputs, "plan": plain(plan)}
        for name, call in (("memory", "memory_bytes"), ("times", "times_s")):
            found[name] = list(_NUMBERS.run(answers[:2], {**given, "call": call}).values())
    return found


PLAY = Play((*_NUMBERS.answers, Answer("best_plan", signature=("model", "cluster"))), play_plan)
