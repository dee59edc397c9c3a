"""master-weights: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.mixed_precision.play_numbers import dtype_of
from gpuedu.exercises.mixed_precision.returned import pair
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array


def play_master_weights(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Masters and weights after many updates, or numbers rounded with each of many draws."""
    import torch

    master_step, round_stochastically = answers
    dtype = getattr(torch, inputs["dtype"])
    with quiet_torch():
        if inputs["ask"] == "round":
            uniform = torch.from_numpy(inputs["uniform"])
            values = torch.from_numpy(inputs["values"]).expand(uniform.shape).clone()
            rounded = round_stochastically(values, dtype, uniform.clone())
            seen = as_array(rounded, uniform.shape, "the result")
            return {"rounded": seen, "dtype": dtype_of(rounded)}
        master = torch.from_numpy(inputs["start"].copy())
        shape = tuple(master.shape)
        gradient = torch.from_numpy(inputs["gradients"]).to(dtype)
        for _ in range(inputs["steps"]):
            result = master_step(master, gradient.clone(), inputs["rate"])
            master, weight = pair(result, "master_step", "the new master and the 16-bit weights")
            kept = as_array(master, shape, "the master")
        return {
            "master": kept,
            "master_dtype": dtype_of(master),
            "weight": as_array(weight, shape, "the weights"),
            "weight_dtype": dtype_of(weight),
        }


PLAY = Play(
    answers=(
        Answer("master_step", signature=("master", "gradient", "lr")),
        Answer("round_stochastically", signature=("values", "dtype", "uniform")),
    ),
    run=play_master_weights,
)
