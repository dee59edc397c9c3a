"""read-the-profile: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import entries, number, text


def play_read_the_profile(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The largest costs as the learner's dict names them, or the seconds of one profile."""
    from gpuedu.exercises.training_step.read_the_profile.planted import CAUSES, Plan, take_steps

    worst, where_it_went = answers
    if inputs["ask"] == "worst":
        worst = entries(worst)
        missing = [name for name in inputs["names"] if name not in worst]
        if missing:
            raise AnswerError(f"`worst` has no entry for {missing[0]!r}")
        return {"worst": {name: text(worst[name], name) for name in inputs["names"]}}
    got = where_it_went(take_steps(Plan(**inputs["plan"])))
    got = entries(got, "what `where_it_went` returns")
    missing = [cause for cause in CAUSES if cause not in got]
    if missing:
        raise AnswerError(f"`where_it_went` returned no {missing[0]!r}")
    return {"shares": {cause: float(number(got[cause], cause)) for cause in CAUSES}}


PLAY = Play(
    (Answer("worst", dict), Answer("where_it_went", signature=("profile",))),
    play_read_the_profile,
    time_limit_s=30.0,
)
