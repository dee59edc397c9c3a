"""master-weights: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.plain import items
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array, dtype_of


def play_master_weights(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Masters and weights after many updates, or numbers rounded with each of many draws."""
    import torch

    master_step, round_stochastically = answers
    dtype = getattr(torch, inputs["dtype"])
    with quiet_torch():
        if inputs["ask"] == "round":
            uniform = torch.from_numpy(inputs["uniform"])
            values = torch.from_numpy(inputs["values"]).expand(uniform.shape).clone()
            with left_as_given("round_stochastically", values=values, uniform=uniform):
                rounded = round_stochastically(values, dtype, uniform)
            seen = as_array(rounded, uniform.shape, "the result")
            return {"rounded": seen, "dtype": dtype_of(rounded)}
        master = torch.from_numpy(inputs["start"].copy())
        shape = tuple(master.shape)
        gradient = torch.from_numpy(inputs["gradients"]).to(dtype)
        for _ in range(inputs["steps"]):
            result = master_step(master, gradient.clone(), inputs["rate"])
            master, weight = pair(result)
            kept = as_array(master, shape, "the master")
        return {
            "master": kept,
            "master_dtype": dtype_of(master),
            "weight": as_array(weight, shape, "the weights"),
            "weight_dtype": dtype_of(weight),
        }


def pair(value: Any) -> tuple[Any, Any]:
    """The two things that `master_step` should return; AnswerError for anything else."""
    what = "two things, the new master and the 16-bit weights"
    found = items(value, "the result of `master_step`", what)
    if len(found) != 2:
        raise AnswerError(f"the result of `master_step` should be {what}, got {len(found)}")
    return found[0], found[1]


PLAY = Play(
    answers=(
        Answer("master_step", signature=("master", "gradient", "lr")),
        Answer("round_stochastically", signature=("values", "dtype", "uniform")),
    ),
    run=play_master_weights,
)
