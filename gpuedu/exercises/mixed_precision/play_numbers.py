"""Plays of the first part: formats, sums, weights in 16 bits, Adam in 16 bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.mixed_precision.returned import pair, require_state
from gpuedu.exercises.plain import number, whole_number
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array, as_number, require_tensor

Inputs = Mapping[str, Any]

_SPEC = ("exponent_bits", "mantissa_bits", "has_infinity")


def play_float_anatomy(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What ``decode`` makes of patterns, or ``encode`` of numbers."""
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


def play_accumulate(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """One of the three sums of some float16 numbers, or the dot product of two arrays."""
    functions = dict(zip(("running", "pairwise", "kahan", "dot"), answers, strict=True))
    ask = inputs["ask"]
    name = ask if ask == "dot" else f"{ask}_sum"
    given = (inputs["a"], inputs["b"]) if ask == "dot" else (inputs["values"],)
    with np.errstate(all="ignore"):  # a sum that overflows is seen in its result
        return {"got": number(functions[ask](*given), f"the result of `{name}`")}


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
            return {"rounded": seen, "dtype": _dtype_of(rounded)}
        master = torch.from_numpy(inputs["start"].copy())
        shape = tuple(master.shape)
        gradient = torch.from_numpy(inputs["gradients"]).to(dtype)
        for _ in range(inputs["steps"]):
            result = master_step(master, gradient.clone(), inputs["rate"])
            master, weight = pair(result, "master_step", "the new master and the 16-bit weights")
            kept = as_array(master, shape, "the master")
        return {
            "master": kept,
            "master_dtype": _dtype_of(master),
            "weight": as_array(weight, shape, "the weights"),
            "weight_dtype": _dtype_of(weight),
        }


def play_adam_in_half(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The smallest gradient that survives, or the weights after each of many steps."""
    import torch

    smallest_gradient, begin, adam_step = answers
    with quiet_torch():
        if inputs["ask"] == "survivor":
            found = smallest_gradient(inputs["beta2"])
            return {"got": as_number(found, "the result of `smallest_gradient`")}
        weight = torch.from_numpy(inputs["start"]).half()
        state, path, names = require_state(begin(weight.clone())), [], set()
        for gradient in torch.from_numpy(inputs["gradients"]).half():
            weight = adam_step(state, gradient.clone(), inputs["rate"])
            path.append(as_array(weight, gradient.shape, "the result of `adam_step`"))
            names.add(_dtype_of(weight))
        return {"weights": np.array(path), "dtype": " and ".join(sorted(names))}


def _dtype_of(tensor: Any) -> str:
    return str(require_tensor(tensor).dtype).removeprefix("torch.")


NUMBER_PLAYS = {
    "float-anatomy": Play(
        answers=(
            Answer("decode", signature=("bits", *_SPEC)),
            Answer("encode", signature=("value", *_SPEC)),
        ),
        run=play_float_anatomy,
    ),
    "accumulate": Play(
        answers=(
            Answer("running_sum", signature=("values",)),
            Answer("pairwise_sum", signature=("values",)),
            Answer("kahan_sum", signature=("values",)),
            Answer("dot", signature=("a", "b")),
        ),
        run=play_accumulate,
    ),
    "master-weights": Play(
        answers=(
            Answer("master_step", signature=("master", "gradient", "lr")),
            Answer("round_stochastically", signature=("values", "dtype", "uniform")),
        ),
        run=play_master_weights,
    ),
    "adam-in-half": Play(
        answers=(
            Answer("smallest_gradient", signature=("beta2",)),
            Answer("begin", signature=("weight",)),
            Answer("adam_step", signature=("state", "gradient", "lr")),
        ),
        run=play_adam_in_half,
        time_limit_s=30.0,  # PyTorch's first optimiser may import for seconds
    ),
}
