"""adam-in-half: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.plain import describe
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array, as_number, dtype_of


def play_adam_in_half(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The smallest gradient that survives, or the weights after each of many steps."""
    import torch

    smallest_gradient, begin, adam_step = answers
    with quiet_torch():
        if inputs["ask"] == "survivor":
            found = smallest_gradient(inputs["beta2"])
            return {"got": as_number(found, "the result of `smallest_gradient`")}
        weight = torch.from_numpy(inputs["start"]).half()
        with left_as_given("begin", weight=weight):
            kept = begin(weight)
        state, path, names = require_state(kept), [], set()
        other = require_state(begin(-weight.clone()))  # a model has more than one weight
        gradients = torch.from_numpy(inputs["gradients"]).half()
        for gradient, rate in zip(gradients, inputs["rates"].tolist(), strict=True):
            weight = adam_step(state, gradient.clone(), rate, **inputs["options"])
            adam_step(other, 0.5 - gradient, rate, **inputs["options"])
            path.append(as_array(weight, gradient.shape, "the result of `adam_step`"))
            names.add(dtype_of(weight))
        return {"weights": np.array(path), "dtype": " and ".join(sorted(names))}


def require_state(value: Any) -> Any:
    """The state that `begin` returned; AnswerError for None, in which nothing can be kept."""
    if value is None:
        raise AnswerError(f"`begin` should return the state; got {describe(value)}")
    return value


PLAY = Play(
    answers=(
        Answer("smallest_gradient", signature=("beta2",)),
        Answer("begin", signature=("weight",)),
        Answer("adam_step", signature=("state", "gradient", "lr")),
    ),
    run=play_adam_in_half,
    time_limit_s=30.0,  # PyTorch's first optimizer may import for seconds
)
