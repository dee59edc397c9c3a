"""Plays of the recipes: a loss scaler, what autocast runs in which dtype, training in 16 bits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.mixed_precision.autocast_table import DTYPES, EXPRESSIONS
from gpuedu.exercises.plain import describe, whole_number
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array, as_number

Inputs = Mapping[str, Any]

_LIMIT_S = 30.0
"""PyTorch's optimisers import its compiler on their first use, which takes seconds."""

_STATE = ("scale", "good_steps", "found_inf", "growth", "backoff", "interval")


def play_loss_scaler(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What ``next_scale`` makes of many states, or the weights behind each scaled step."""
    next_scale, scaled_step = answers
    if inputs["ask"] == "states":
        rules = (inputs["growth"], inputs["backoff"], inputs["interval"])
        got = [_next_state(next_scale, *state, *rules) for state in inputs["states"]]
        return {"scales": [scale for scale, _ in got], "good_steps": [good for _, good in got]}
    with quiet_torch():
        return _play_steps(scaled_step, inputs)


def _next_state(
    next_scale: Any, scale: float, good_steps: int, found_inf: bool, *rules: float
) -> tuple[float, int]:
    result = next_scale(scale, good_steps, found_inf, *rules)
    if type(result) not in (tuple, list) or len(result) != 2:
        wanted = "the new scale and the good steps behind it"
        raise AnswerError(f"`next_scale` should return two numbers, {wanted}: {describe(result)}")
    scale = as_number(result[0], "the new scale")
    return scale, whole_number(as_number(result[1], "good_steps"), "good_steps")


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
    if isinstance(value, np.bool_):
        value = bool(value)
    if type(value) is not bool:
        raise AnswerError(f"`scaled_step` should return True or False, got {describe(value)}")
    return value


def play_autocast(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The learner's table; or their loss under autocast to float16, with its products' dtypes."""
    import torch

    from gpuedu.exercises.mixed_precision.products import ProductWatch

    runs_in, safe_loss = answers
    if inputs["ask"] == "table":
        return {"table": read_table(runs_in)}
    parts = [torch.from_numpy(inputs[name].copy()) for name in ("x", "w1", "w2", "yes")]
    with quiet_torch(), torch.autocast("cpu", torch.float16), ProductWatch() as watch:
        value = safe_loss(*parts)
    loss = as_number(value, "the loss")
    return {"loss": loss, "products": watch.dtypes, "powers": watch.powers}


def read_table(table: Mapping[str, Any]) -> dict[str, str]:
    """The learner's dtype for each of the twelve expressions; AnswerError for what is none."""
    found = {}
    for text in EXPRESSIONS:
        said = table.get(text)
        name = said if type(said) is str else str(said).removeprefix("torch.")
        if name not in DTYPES:
            wanted = " or ".join(f'"{dtype}"' for dtype in DTYPES)
            told = "is missing" if said is None else f"is {describe(said)}"
            raise AnswerError(f"`{text}` {told}", remedy=f"it should be {wanted}")
        found[text] = name
    return found


def play_same_accuracy(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Where the learner's runs end, one for each seed, and what they computed in."""
    from gpuedu.exercises.mixed_precision.half_runs import run_half
    from gpuedu.experiments.same_accuracy import Task

    task = Task(**inputs["task"])
    with quiet_torch():
        runs = [run_half(*answers, task, seed) for seed in inputs["seeds"]]
    products: Counter[str] = Counter()
    for run in runs:
        products.update({" and ".join(sorted(p)): count for p, count in run.products.items()})
    return {
        "losses": [run.loss for run in runs],
        "accuracies": [run.accuracy for run in runs],
        "moved": [run.moved for run in runs],
        "first_moves": [run.first_move for run in runs],
        "dtypes": sorted({dtype for run in runs for dtype in run.dtypes}),
        "products": dict(products),
    }


SCALING_PLAYS = {
    "loss-scaler": Play(
        answers=(
            Answer("next_scale", signature=_STATE),
            Answer("scaled_step", signature=("weights", "loss", "scale", "lr", "max_norm")),
        ),
        run=play_loss_scaler,
        time_limit_s=_LIMIT_S,
    ),
    "autocast": Play(
        answers=(
            Answer("runs_in", dict),
            Answer("safe_loss", signature=("x", "w1", "w2", "yes")),
        ),
        run=play_autocast,
        time_limit_s=_LIMIT_S,
        observes="the types in which PyTorch computes products",
    ),
    "same-accuracy": Play(
        answers=(
            Answer("begin", signature=("weights",)),
            Answer("train_step", signature=("state", "images", "labels", "rate", "n")),
        ),
        run=play_same_accuracy,
        time_limit_s=2 * _LIMIT_S,
        observes="losses, accuracies, and the types in which products are computed",
    ),
}
