"""count-the-step: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import number

_GPT = ("samples", "length", "width", "layers", "vocabulary")


def play_count_the_step(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """``got`` for what is asked, and ``own``: the learner's count of what it is made of."""
    norm_flop, attention_flop, gpt_flop, gpt_step_flop, mlp_step_flop = answers
    ask, sizes = inputs["ask"], list(inputs["sizes"])
    if ask == "norm":
        return {"got": number(norm_flop(*sizes), "what `norm_flop` returned")}
    if ask == "attention":
        return {"got": number(attention_flop(*sizes), "what `attention_flop` returned")}
    if ask == "gpt":
        got = number(gpt_flop(*sizes), "what `gpt_flop` returned")
        return {"got": got, "own": _own(attention_flop, sizes[:3])}
    if ask == "gpt-step":
        got = number(gpt_step_flop(*sizes), "what `gpt_step_flop` returned")
        return {"got": got, "own": _own(gpt_flop, sizes)}
    (samples, widths) = sizes
    return {"got": number(mlp_step_flop(samples, list(widths)), "what `mlp_step_flop` returned")}


def _own(function: Any, sizes: Sequence[int]) -> float | None:
    """The learner's own count of a part; None where there is none yet."""
    try:
        return number(function(*sizes))
    except Exception:  # judged where it is asked for itself
        return None


PLAY = Play(
    (
        Answer("norm_flop", signature=_GPT[:3]),
        Answer("attention_flop", signature=_GPT[:3]),
        Answer("gpt_flop", signature=_GPT),
        Answer("gpt_step_flop", signature=_GPT),
        Answer("mlp_step_flop", signature=("samples", "widths")),
    ),
    play_count_the_step,
)
