"""backward-by-hand: beside the learner's code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import describe, entries
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.refusing import name_of, refusing
from gpuedu.exercises.training.tensors import as_array

_AUTOGRAD = "it uses autograd, which is off here"
_REMEDY = "No `backward()`, no `requires_grad`, no `torch.func`: write each gradient as a product."
_TOLD_BY_TORCH = ("does not require grad", "support saved tensor hooks")
"""What PyTorch says then: of a tensor without a past, and of `torch.func.grad` and its like."""


def run_forward(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What the lesson's ``forward`` saves, as tensors: all that ``backward`` gets.

    Args:
        inputs: arrays ``x`` (n, i), ``y`` (n,), ``w1`` (i, h), ``b1``, ``w2`` (h, c), ``b2``,
            ``mask`` (n, h) of 0 and 1, the number ``keep`` and the text ``activation``.
    """
    import torch

    tensors = {
        name: torch.from_numpy(inputs[name].copy())
        for name in ("x", "y", "w1", "b1", "w2", "b2", "mask")
    }
    z = tensors["x"] @ tensors["w1"] + tensors["b1"]
    h = torch.relu(z) if inputs["activation"] == "relu" else torch.sigmoid(z)
    d = h * tensors["mask"] / inputs["keep"]
    s = d @ tensors["w2"] + tensors["b2"]
    given = {name: tensors[name] for name in ("x", "y", "w2", "mask")}
    return {**given, "h": h, "d": d, "s": s, **_plain_of(inputs)}


def _plain_of(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {"keep": inputs["keep"], "activation": inputs["activation"]}


def shapes_of(inputs: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shape of each gradient: that of the tensor whose gradient it is."""
    hidden = inputs["mask"].shape
    shapes = {name: inputs[name].shape for name in ("w1", "b1", "w2", "b2")}
    return shapes | {"s": (hidden[0], inputs["b2"].size), "h": hidden, "z": hidden}


@contextmanager
def without_autograd() -> Iterator[None]:
    """Nothing is recorded inside; who turns recording on again is told by an AnswerError.

    So is who has derivatives carried along in the forward pass, as ``torch.func.jacfwd`` does.
    """
    import torch

    def refuse(_tensor: Any) -> Any:
        raise AnswerError(_AUTOGRAD, remedy=_REMEDY)

    with torch.no_grad(), torch.autograd.graph.saved_tensors_hooks(refuse, lambda kept: kept):
        try:
            with refusing(_is_in_forward_mode, _AUTOGRAD, _REMEDY):
                yield
        except RuntimeError as fault:
            if any(told in str(fault) for told in _TOLD_BY_TORCH):
                raise AnswerError(_AUTOGRAD, remedy=_REMEDY) from None
            raise


def _is_in_forward_mode(function: Any, *_: Any) -> bool:
    """What every derivative in forward mode begins with."""
    return name_of(function) == "_make_dual"


def gradients_of(backward: Any, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the learner's function returns for these inputs, if it is a dict."""
    with without_autograd():
        found = backward(run_forward(inputs))
    if not isinstance(found, dict):
        raise AnswerError(
            f"`backward` should return a dict of gradients, got {describe(found)}",
            remedy='As in `return {"s": ds, "w2": dw2, ...}`.',
        )
    return entries(found)


def play_backward_by_hand(
    answers: Sequence[Any], inputs: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """``arrays`` by name, and ``problems`` by name for those that are none of the right shape."""
    (backward,) = answers
    arrays, problems = {}, {}
    with quiet_torch():
        found = gradients_of(backward, inputs)
        for name, shape in shapes_of(inputs).items():
            try:
                arrays[name] = _gradient(found, name, shape)
            except AnswerError as fault:
                problems[name] = f"{fault.message}. {fault.remedy}".removesuffix(" ")
    return {"arrays": arrays, "problems": problems}


def _gradient(found: Mapping[str, Any], name: str, shape: tuple[int, ...]) -> Any:
    if name not in found:
        raise AnswerError(f'the dict has no "{name}"')
    return as_array(found[name], shape, f'the gradient "{name}"')


PLAY = Play((Answer("backward", signature=("saved",)),), play_backward_by_hand, time_limit_s=20.0)
