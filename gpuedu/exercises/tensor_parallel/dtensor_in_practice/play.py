"""dtensor-in-practice: beside the learner's code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import call_play
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.plans import plain_plan, plan_of

_RULES = call_play("linear(x, weight) -> text", "collective(before, after) -> text")
_PLANS = ("tensor_plan", "sequence_plan")


def play_dtensor(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The plan that a function returns, with all that it leaves out; or a rule's result."""
    name = inputs["call"]
    if name in _PLANS:
        return {"plan": plain_plan(plan_of(answers[_PLANS.index(name)](), name))}
    return dict(_RULES.run([_not_none(one, name) for one in answers[len(_PLANS) :]], inputs))


def _not_none(answer: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The rule; where it returns None, what stands for nothing is told."""

    def asked(*given: Any) -> Any:
        found = answer(*given)
        if found is None:
            raise AnswerError(
                f"`{name}` returned None, and should return a string",
                remedy="What does the text say to return when there is nothing to name? (Without a "
                "`return`, a function returns None, too.)",
            )
        return found

    return asked


PLAY = Play((*(Answer(name) for name in _PLANS), *_RULES.answers), play_dtensor)
