"""quantize: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import array, items

Quantized = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Codes (rows, columns) uint8, scales (rows, groups) float32, zero points (rows, groups) uint8."""

_RESULT = "the result of `{}`"


def play_quantize(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What one of the functions gives, and the arrays that it was given as they are afterwards.

    Of ``pack`` also what it gives of ``others``, and of ``unpack`` what it makes of ``strange``
    bytes, which ``pack`` never gave: so what the two keep beside the bytes is not enough.
    """
    quantize, dequantize, pack, unpack = answers
    arrays = {name: one for name, one in inputs.items() if isinstance(one, np.ndarray)}
    given = {name: one.copy() for name, one in arrays.items() if name not in ("others", "strange")}
    observed: dict[str, Any] = {}
    if inputs["call"] == "quantize":
        found = quantized(quantize, given["w"], inputs["bits"], inputs["group"])
        observed = dict(zip(("codes", "scale", "zero"), found, strict=True))
    elif inputs["call"] == "dequantize":
        observed["result"] = dequantized(dequantize, **given)
    else:
        observed["packed"] = packed(pack, given["codes"])
        given["packed"] = observed["packed"].copy()
        observed["unpacked"] = unpacked(unpack, given["packed"])
        observed["packed_others"] = np.stack([packed(pack, one.copy()) for one in inputs["others"]])
        observed["unpacked_strange"] = unpacked(unpack, inputs["strange"].copy())
    return observed | {f"{name}_after": one for name, one in given.items()}


def quantized(quantize: Any, w: np.ndarray, bits: int, group: int) -> Quantized:
    """What ``quantize`` gives, of the right dtypes and shapes.

    Raises:
        AnswerError: it gives something else.
    """
    found = items(quantize(w, bits, group), _RESULT.format("quantize"), "three arrays in a tuple")
    if len(found) != 3:
        raise AnswerError(
            f"`quantize` should give three arrays, got {len(found)}",
            remedy="the codes, the scales and the zero points, in this order",
        )
    of_groups = (w.shape[0], w.shape[1] // group)
    forms = (
        ("codes", np.uint8, w.shape),
        ("scale", np.float32, of_groups),
        ("zero", np.uint8, of_groups),
    )
    codes, scale, zero = (
        array(one, dtype, shape, f"`{name}`, which `quantize` gives,")
        for one, (name, dtype, shape) in zip(found, forms, strict=True)
    )
    return codes, scale, zero


def dequantized(
    dequantize: Any, codes: np.ndarray, scale: np.ndarray, zero: np.ndarray
) -> np.ndarray:
    """The weights (rows, columns) float32 that ``dequantize`` gives of what ``quantize`` gave."""
    found = dequantize(codes, scale, zero)
    return array(found, np.float32, codes.shape, _RESULT.format("dequantize"))


def packed(pack: Any, codes: np.ndarray) -> np.ndarray:
    """The bytes (rows, columns / 2) that ``pack`` gives of codes of 4 bits."""
    half = (codes.shape[0], codes.shape[1] // 2)
    return array(pack(codes), np.uint8, half, _RESULT.format("pack"))


def unpacked(unpack: Any, given: np.ndarray) -> np.ndarray:
    """The codes (rows, 2 * bytes) that ``unpack`` gives of bytes."""
    shape = (given.shape[0], 2 * given.shape[1])
    return array(unpack(given), np.uint8, shape, _RESULT.format("unpack"))


PLAY = Play(
    (
        Answer("quantize", signature=("w", "bits", "group")),
        Answer("dequantize", signature=("codes", "scale", "zero")),
        Answer("pack", signature=("codes",)),
        Answer("unpack", signature=("packed",)),
    ),
    play_quantize,
)
