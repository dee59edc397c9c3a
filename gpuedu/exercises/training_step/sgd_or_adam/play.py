"""sgd-or-adam: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import entries, items
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array

NAMES = {
    "sgd": ("lr", "momentum"),
    "adam": ("lr", "beta1", "beta2", "eps"),
    "adamw": ("lr", "beta1", "beta2", "eps", "decay"),
}
"""The options of each rule, in the order of the learner's parameters."""


def play_sgd_or_adam(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The weights after each step, the bytes in the state after the last, and what was returned.

    A case's inputs are ``rule``, ``weights`` (n,) and ``gradients`` (steps, n) of one dtype,
    ``rates``, the ``lr`` of each step, and the other ``options`` by their names.
    """
    import torch

    rule = dict(zip(NAMES, answers, strict=True))[inputs["rule"]]
    options = [inputs["options"][name] for name in NAMES[inputs["rule"]][1:]]
    with quiet_torch():
        weights = torch.from_numpy(inputs["weights"].copy())
        # One buffer for all gradients, as backward's is: who keeps it keeps the next one.
        gradient = torch.empty_like(weights)
        state: dict[str, Any] = {}
        rows, returned = [], ""
        for row, rate in zip(torch.from_numpy(inputs["gradients"]), inputs["rates"], strict=True):
            gradient.copy_(row)
            result = rule(weights, gradient, state, rate, *options)
            returned = returned or ("" if result is None else type(result).__name__)
            rows.append(as_array(weights, inputs["weights"].shape, "weights"))
        return {
            "walked": np.array(rows),
            "state_bytes": _bytes_of(state),
            "returned": returned,
        }


def _bytes_of(state: Any) -> int:
    """The bytes of all tensors in the state, storages counted once; each number takes 8."""
    import torch

    storages: dict[int, int] = {}
    numbers = 0
    open_ = [state]
    while open_:
        one = open_.pop()
        if isinstance(one, torch.Tensor):
            storage = one.untyped_storage()
            storages[storage.data_ptr()] = storage.nbytes()
        elif isinstance(one, dict):
            open_ += entries(one).values()
        elif isinstance(one, (list, tuple)):
            open_ += items(one)
        elif isinstance(one, (Number, np.bool_)):
            numbers += 1
        elif one is not None and not isinstance(one, str):
            raise AnswerError(
                f"the state holds a {type(one).__name__}: tensors and numbers, please"
            )
    return sum(storages.values()) + 8 * numbers


_SHARED = ("weights", "gradient", "state")


PLAY = Play(
    tuple(Answer(rule, signature=(*_SHARED, *names)) for rule, names in NAMES.items()),
    play_sgd_or_adam,
    time_limit_s=30.0,
)
