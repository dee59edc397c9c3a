"""roofline: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import number, numbers, text


def play_roofline(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Two intensities of a kernel, a rate with its limit, or the entries of the learner's dict."""
    intensities, attainable, limits = answers
    ask = inputs["ask"]
    if ask == "counts":
        pair = intensities(dict(inputs["counts"]))
        return {"pair": numbers(pair, 2, "what `intensities` returned")}
    if ask == "rates":
        got = attainable(inputs["l1"], inputs["memory"], dict(inputs["device"]))
        if type(got) not in (tuple, list) or len(got) != 2:
            raise AnswerError("`attainable` should return two things: a rate, and the limit's name")
        return {"rate": number(got[0], "the rate"), "name": text(got[1], "the name of the limit")}
    return {name: _entry(limits, name) for name in inputs["names"]}


def _entry(limits: Mapping[str, Any], name: str) -> str:
    if name not in limits:
        raise AnswerError(f"the dict has no entry for {name!r}")
    return text(limits[name], f"the entry for {name!r}")


PLAY = Play(
    (
        Answer("intensities", signature=("counts",)),
        Answer("attainable", signature=("per_l1_byte", "per_memory_byte", "device")),
        Answer("limits", dict),
    ),
    play_roofline,
    on_machine=True,
)
