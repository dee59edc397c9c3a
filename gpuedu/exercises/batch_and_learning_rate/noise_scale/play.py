"""noise-scale: beside the learner's code."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import describe, items, whole_number
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_number

_SIZES, _TERMS = ("few", "many"), ("signal", "noise")


def play_noise_scale(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Two terms, a noise scale and whether its gradients were changed, or a number of devices."""
    noise_terms, noise_scale, devices_that_pay = answers
    ask, few, many = inputs["ask"], inputs.get("few"), inputs.get("many")
    if ask == "devices":
        return {"got": _devices(devices_that_pay, inputs)}
    with quiet_torch():
        if ask == "terms":
            got = noise_terms(few, many, inputs["few_square"], inputs["many_square"])
            return {"got": _two(got)}
        steps = [tuple(_tensors(step[size]) for size in _SIZES) for step in inputs["steps"]]
        given = [part for step in steps for gradient in step for part in gradient]
        before = [part.clone() for part in given]
        lists = [steps, *(gradient for step in steps for gradient in step)]
        held = [list(map(id, one)) for one in lists]
        got = as_number(noise_scale(steps, few, many), "the noise scale")
        changed = any(not was.equal(now) for was, now in zip(before, given, strict=True))
        kept = held == [list(map(id, one)) for one in lists]
        return {"got": got, "changed": changed, "kept": kept}


def _devices(devices_that_pay: Any, inputs: Mapping[str, Any]) -> float:
    """A whole number, or infinity."""
    try:
        got = devices_that_pay(*(inputs[name] for name in ("scale", "per_device", "gain")))
    except OverflowError:
        if math.isfinite(inputs["scale"]):
            raise
        raise AnswerError(
            "it doubled on until the number had more than 300 digits",
            remedy="Where the noise scale is infinite, each doubling pays, and none is the last.",
        ) from None
    found = as_number(got, "the number of devices")
    return found if found == math.inf else whole_number(got, "the number of devices")


def _two(got: Any) -> list[float]:
    """Signal and noise, from a tuple, a list, an array or a tensor of two."""
    import torch

    pair = list(got) if isinstance(got, torch.Tensor) and got.ndim else got
    pair = items(pair) if isinstance(pair, (tuple, list, np.ndarray)) else []
    if len(pair) != len(_TERMS):
        raise AnswerError(f"`noise_terms` should return signal and noise, got {describe(got)}")
    return [as_number(one, name) for one, name in zip(pair, _TERMS, strict=True)]


def _tensors(arrays: Sequence[Any]) -> list[Any]:
    import torch

    return [torch.from_numpy(one.copy()) for one in arrays]


PLAY = Play(
    (
        Answer("noise_terms", signature=("few", "many", "few_square", "many_square")),
        Answer("noise_scale", signature=("steps", "few", "many")),
        Answer("devices_that_pay", signature=("scale", "per_device", "gain")),
    ),
    play_noise_scale,
    time_limit_s=5.0,
)
