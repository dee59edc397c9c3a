"""roofline: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import items, number, numbers, text


def play_roofline(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Two intensities of a kernel, a rate with its limit, or the entries of the learner's dict."""
    intensities, attainable, limits = answers
    ask = inputs["ask"]
    if ask == "counts":
        counts = dict(inputs["counts"])
        pair = numbers(intensities(counts), 2, "what `intensities` returned")
        return {"pair": pair, "kept": counts == inputs["counts"]}
    if ask == "rates":
        device = dict(inputs["device"])
        got = attainable(inputs["l1"], inputs["memory"], device)
        pair = items(got, "`attainable`'s result", "a rate, and the limit's name")
        if len(pair) != 2:
            raise AnswerError("`attainable` should return two things: a rate, and the limit's name")
        rate, name = number(pair[0], "the rate"), text(pair[1], "the name of the limit")
        return {"rate": rate, "name": name, "kept": device == inputs["device"]}
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
