"""memory-ledger: beside the learner's code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import describe, entries, items, number
from gpuedu.exercises.training.refusing import refusing

_REMEDY = "Work the bytes out from the shapes: no network has to be there for that."
HELD = ("weights", "gradients", "optimizer")


def play_memory_ledger(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """``held`` by name, where an optimizer is given, and ``saved``, where samples are."""
    held_bytes, saved_bytes = answers
    observed: dict[str, Any] = {}
    if "optimizer" in inputs:
        observed["held"] = held_of(held_bytes, inputs["layers"], inputs["optimizer"])
    if "samples" in inputs:
        observed["saved"] = saved_of(saved_bytes, inputs["samples"], inputs["layers"])
    return observed


def called(name: str, function: Callable[[list[Any]], Any], layers: Sequence[Any]) -> Any:
    """What a function makes of the layers, which it should leave as they are."""
    given = list(layers)
    measured = f"`{name}` makes tensors that need gradients, so as to count their bytes"
    with refusing(_needs_gradients, measured, _REMEDY):
        found = function(given)
    if given != list(layers):
        raise AnswerError(
            f"`{name}` changed `layers`, which it was given",
            remedy="The caller may need it again: work on a copy.",
        )
    return found


def _needs_gradients(_function: Any, *tensors: Any) -> bool:
    return any(getattr(one, "requires_grad", None) is True for one in tensors)


def held_of(held_bytes: Any, layers: Sequence[Any], optimizer: str) -> dict[str, float]:
    """Bytes of weights, gradients and the optimizer's state, as the learner computes them."""
    found = called("held_bytes", lambda given: held_bytes(given, optimizer), layers)
    if not isinstance(found, dict):
        raise AnswerError(
            f"`held_bytes` should return a dict, got {describe(found)}",
            remedy='Its keys are "weights", "gradients" and "optimizer".',
        )
    found = entries(found)
    missing = [name for name in HELD if name not in found]
    if missing:
        raise AnswerError(f'the dict of `held_bytes` has no "{missing[0]}"')
    return {name: number(found[name], f'"{name}"') for name in HELD}


def saved_of(saved_bytes: Any, samples: int, layers: Sequence[Any]) -> list[float]:
    """Bytes that each layer, and last the loss, saves, as the learner computes them."""
    found = called("saved_bytes", lambda given: saved_bytes(samples, given), layers)
    found = items(found, "what `saved_bytes` returns")
    if len(found) != len(layers) + 1:
        raise AnswerError(
            f"`saved_bytes` gave {len(found)} numbers for {len(layers)} layers and the loss",
            remedy="One number for each layer, 0 where it saves nothing new, and last the loss's.",
        )
    return [number(size, f"number {at} of `saved_bytes`") for at, size in enumerate(found)]


PLAY = Play(
    (
        Answer("held_bytes", signature=("layers", "optimizer")),
        Answer("saved_bytes", signature=("samples", "layers")),
    ),
    play_memory_ledger,
)
