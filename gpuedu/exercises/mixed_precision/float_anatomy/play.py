"""float-anatomy: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import number, whole_number

_SPEC = ("exponent_bits", "mantissa_bits", "has_infinity")


def play_float_anatomy(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Numbers that ``decode`` makes of patterns, or patterns that ``encode`` makes of numbers."""
    decode, encode = answers
    spec = inputs["spec"]
    if inputs["ask"] == "decode":
        return {
            "got": [number(decode(bits, *spec), f"decode({bits:#x})") for bits in inputs["given"]]
        }
    return {
        "got": [
            whole_number(encode(value, *spec), f"encode({value!r})") for value in inputs["given"]
        ]
    }


PLAY = Play(
    answers=(
        Answer("decode", signature=("bits", *_SPEC)),
        Answer("encode", signature=("value", *_SPEC)),
    ),
    run=play_float_anatomy,
)
