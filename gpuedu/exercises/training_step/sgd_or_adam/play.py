"""sgd-or-adam: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import entries, items
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.refusing import is_called_in, name_of, refusing
from gpuedu.exercises.training.tensors import as_array

NAMES = {
    "sgd": ("lr", "momentum"),
    "adam": ("lr", "beta1", "beta2", "eps"),
    "adamw": ("lr", "beta1", "beta2", "eps", "decay"),
}
"""The options of each rule, in the order of the learner's parameters."""

_REMEDY = "Write the rule itself, with sums, products and roots of tensors."


def play_sgd_or_adam(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The weights after each step, the bytes in the state after the last, and what was returned.

    A case's inputs are ``rule``, ``weights`` of any shape and ``gradients`` (steps, *shape) of
    one dtype, ``rates``, the ``lr`` of each step, and the other ``options`` by their names.
    """
    import torch

    rule = dict(zip(NAMES, answers, strict=True))[inputs["rule"]]
    by_torch = f"`{inputs['rule']}` has `torch.optim` take the step"
    options = [inputs["options"][name] for name in NAMES[inputs["rule"]][1:]]
    with quiet_torch():
        weights = torch.from_numpy(inputs["weights"].copy())
        # One buffer for all gradients, as backward's is: who keeps it keeps the next one.
        gradient = torch.empty_like(weights)
        state: dict[str, Any] = {}
        rows, returned, names = [], "", set[str]()
        for row, rate in zip(torch.from_numpy(inputs["gradients"]), inputs["rates"], strict=True):
            gradient.copy_(row)
            with refusing(_is_of_an_optimizer, by_torch, _REMEDY):
                result = rule(weights, gradient, state, rate, *options)
            returned = returned or ("" if result is None else type(result).__name__)
            names = names if rows else _names_in(state)
            rows.append(as_array(weights, inputs["weights"].shape, "weights"))
        hung = [one.grad for one in (weights, gradient) if one.grad is not gradient]
        return {
            "walked": np.array(rows),
            "state_bytes": _bytes_of([state, *hung], names),
            "returned": returned,
        }


def _is_of_an_optimizer(function: Any, *_: Any) -> bool:
    return name_of(function).startswith("_fused_") or is_called_in("torch.optim")


def _bytes_of(state: Any, names: set[str]) -> int:
    """The bytes of all tensors in the state, storages counted once, of its numbers and its texts.

    A tensor's gradient is in it, too, and a whole number of any length is as long as it is. Names
    are no part of it: the keys that were there after the first step, when there was little to keep.
    """
    import torch

    storages: dict[int, int] = {}
    size = 0
    open_ = [state]
    while open_:
        one = open_.pop()
        if isinstance(one, torch.Tensor):
            storage = one.untyped_storage()
            storages[storage.data_ptr()] = storage.nbytes()
            open_.append(one.grad)
        elif isinstance(one, dict):
            held = entries(one)
            open_ += [*held.values(), *(key for key in held if key not in names)]
        elif isinstance(one, (list, tuple)):
            open_ += items(one)
        elif isinstance(one, str):
            size += len(one.encode(errors="surrogatepass"))
        elif isinstance(one, int):
            size += 8 * max(1, -(-one.bit_length() // 64))
        elif isinstance(one, (float, np.number, np.bool_)):
            size += max(8, getattr(one, "nbytes", 0))
        elif one is not None:
            raise AnswerError(
                f"the state holds a {type(one).__name__}: tensors and numbers, please"
            )
    return sum(storages.values()) + size


def _names_in(state: Any) -> set[str]:
    """All keys of dicts in it that are texts."""
    if isinstance(state, dict):
        held = entries(state)
        own = {key for key in held if isinstance(key, str)}
        return own.union(*map(_names_in, held.values()))
    return set().union(*map(_names_in, items(state))) if isinstance(state, (list, tuple)) else set()


_SHARED = ("weights", "gradient", "state")


PLAY = Play(
    tuple(Answer(rule, signature=(*_SHARED, *names)) for rule, names in NAMES.items()),
    play_sgd_or_adam,
    time_limit_s=30.0,
)
