"""loss-scaler: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import flag, items, whole_number
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.refusing import name_of, refusing
from gpuedu.exercises.training.tensors import as_array, as_number

_UPDATE = "_amp_update_scale_"
_BY_TORCH = f"`next_scale` has PyTorch's `{_UPDATE}` compute the new scale"
_REMEDY = "Write its rule yourself: when does the scale grow, and when does it shrink?"
_STATE = ("scale", "good_steps", "found_inf", "growth", "backoff", "interval")


def play_loss_scaler(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """New states by ``next_scale`` for many, or the weights after each scaled step."""
    next_scale, scaled_step = answers
    if inputs["ask"] == "states":
        rules = (inputs["growth"], inputs["backoff"], inputs["interval"])
        with refusing(_is_the_update, _BY_TORCH, _REMEDY):
            got = [_next_state(next_scale, *state, *rules) for state in inputs["states"]]
        return {"scales": [scale for scale, _ in got], "good_steps": [good for _, good in got]}
    with quiet_torch():
        return _play_steps(scaled_step, inputs)


def _is_the_update(function: Any, *_: Any) -> bool:
    return name_of(function) == _UPDATE


def _next_state(
    next_scale: Any, scale: float, good_steps: int, found_inf: bool, *rules: float
) -> tuple[float, int]:
    result = next_scale(scale, good_steps, found_inf, *rules)
    what = "two numbers, the new scale and the good steps so far"
    found = items(result, "the result of `next_scale`", what)
    if len(found) != 2:
        raise AnswerError(f"the result of `next_scale` should be {what}, got {len(found)}")
    scale = as_number(found[0], "the new scale")
    return scale, whole_number(as_number(found[1], "good_steps"), "good_steps")


def _play_steps(scaled_step: Any, inputs: Inputs) -> dict[str, Any]:
    """Steps on a loss whose gradient, before it is rounded to fp16, is ``coefficients``."""
    import torch

    weights = [torch.from_numpy(start.copy()).requires_grad_() for start in inputs["start"]]
    shapes, path, found = [start.shape for start in inputs["start"]], [], []
    for scale, coefficients in zip(inputs["scales"], inputs["coefficients"], strict=True):
        # The weights go through fp16, and so do the gradients on their way back.
        parts = [
            (weight.half().float() * torch.from_numpy(part)).sum()
            for weight, part in zip(weights, coefficients, strict=True)
        ]
        loss = torch.stack(parts).sum()
        told = scaled_step(weights, loss, scale, inputs["rate"], inputs["max_norm"])
        found.append(_truth(told))
        kept = [as_array(w, s, "a weight") for w, s in zip(weights, shapes, strict=True)]
        path.append(np.concatenate([weight.ravel() for weight in kept]))
    return {"weights": np.array(path), "found": found}


def _truth(value: Any) -> bool:
    """The learner's True or False, also as a tensor of one element."""
    import torch

    if isinstance(value, torch.Tensor) and value.numel() == 1:
        value = value.item()
    return flag(value, "the result of `scaled_step`")


PLAY = Play(
    answers=(
        Answer("next_scale", signature=_STATE),
        Answer("scaled_step", signature=("weights", "loss", "scale", "lr", "max_norm")),
    ),
    run=play_loss_scaler,
    time_limit_s=30.0,  # PyTorch's first optimizer may import for seconds
)
