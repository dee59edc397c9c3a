"""What is checked once, in the first step of a run: shapes, the loss, NaN.

These checks wait for a GPU, so they are not repeated.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from gpuedu.training.errors import LossError, NotFiniteError, OutputShapeError


def require_output(outputs: Any, targets: Tensor) -> None:
    """Refuse an output that does not fit the targets.

    Whole-number targets (N, ...) are classes: the output needs one dimension more, of scores, last
    or second. Other targets need an output of their own shape.

    Raises:
        OutputShapeError: with both shapes and a likely cause.
    """
    if not isinstance(outputs, Tensor):
        raise OutputShapeError(
            f"the model returned {type(outputs).__name__}, not a tensor",
            remedy="does its forward end with `return`, of the scores alone?",
        )
    shape, wanted = tuple(outputs.shape), tuple(targets.shape)
    if targets.is_floating_point():
        if shape != wanted:
            raise OutputShapeError(
                f"the output is {shape}, the targets are {wanted}",
                remedy="make them equal: a loss would broadcast one against the other, silently",
            )
        return
    scores_last, scores_second = shape[:-1], shape[:1] + shape[2:]
    if outputs.ndim != targets.ndim + 1 or wanted not in (scores_last, scores_second):
        raise OutputShapeError(
            f"the output is {shape} for targets {wanted}",
            remedy=_shape_cause(shape, wanted),
        )
    classes = shape[-1] if wanted == scores_last else shape[1]
    if not 0 <= int(targets.min()) <= int(targets.max()) < classes:
        raise OutputShapeError(
            f"{classes} scores for targets from {int(targets.min())} to {int(targets.max())}",
            remedy="one score for each class; classes are numbered from 0",
        )


def _shape_cause(shape: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    if shape == wanted:
        return "a score for each class is needed, not the class itself: no argmax in the model"
    if not shape or shape[0] != wanted[0]:
        return "the first dimension must stay the samples: flatten from dimension 1, mean over dim="
    return f"one dimension of scores more than the targets: {(*wanted, 'classes')}"


def require_loss(loss: Any) -> None:
    """Refuse a loss that is not one number that autograd can start from.

    Raises:
        LossError: with a likely cause.
    """
    if not isinstance(loss, Tensor):
        raise LossError(
            f"the loss is {type(loss).__name__}, not a tensor",
            remedy="no float() and no .item() before backward",
        )
    if loss.numel() != 1:
        raise LossError(
            f"the loss is {tuple(loss.shape)}, not one number",
            remedy='a mean over the batch: reduction="mean", or .mean()',
        )
    if not loss.requires_grad:
        raise LossError(
            "the loss does not depend on any parameter",
            remedy="look for .detach(), .item(), NumPy or torch.no_grad() on the way to it",
        )


def require_finite_loss(
    loss: Tensor, model: nn.Module, inputs: Tensor, outputs: Tensor, step: int = 0
) -> None:
    """Refuse NaN or an infinity in the loss, and say where it comes from.

    Raises:
        NotFiniteError: naming the batch, a parameter, a layer or the loss.
    """
    if is_finite(loss):
        return
    what = f"the loss of step {step} is {loss.item()}"
    if not is_finite(inputs):
        raise NotFiniteError(f"{what}: so are some numbers in the batch", remedy="fix or drop them")
    for name, parameter in model.named_parameters():
        if not is_finite(parameter):
            raise NotFiniteError(
                f"{what}: so are some numbers in the parameter {name!r}",
                remedy="make the model again: an earlier run may have spoiled it",
            )
    if is_finite(outputs):
        raise NotFiniteError(
            f"{what}, from outputs that are finite", remedy=_IN_THE_LOSS.get(outputs.dtype, _LOG)
        )
    raise NotFiniteError(
        f"{what}: it begins in layer {_first_bad_layer(model, inputs)!r}",
        remedy="a logarithm of 0, a division by 0, a softmax over nothing but -inf, or numbers "
        "past the largest of a 16-bit format",
    )


_LOG = "in the loss: a logarithm of 0 or a division by 0? cross_entropy takes scores, not softmax"
_IN_THE_LOSS = {torch.float16: "in the loss: past 65504 float16 is infinite; compute it in float32"}


def require_gradients(model: nn.Module) -> None:
    """Refuse a backward pass that reached no parameter, or left NaN or an infinity in one.

    Raises:
        LossError: if no parameter has a gradient.
        NotFiniteError: naming the first parameter whose gradient is not finite.
    """
    gradients = [(n, p.grad) for n, p in model.named_parameters() if p.grad is not None]
    if not gradients:
        raise LossError(
            "the backward pass reached none of the model's parameters",
            remedy="is the loss computed from this model's output, and is nothing detached?",
        )
    for name, gradient in gradients:
        if not is_finite(gradient):
            raise NotFiniteError(
                f"the gradient of {name!r} is not finite in the first step, though the loss is",
                remedy="a square root or norm at 0, or `where` around a branch that is infinite",
            )


def is_finite(values: Tensor) -> bool:
    """Whether no number is NaN or infinite. Waits for the device.

    >>> is_finite(torch.tensor([1.0, float("nan")])), is_finite(torch.tensor([3]))
    (False, True)
    """
    return bool(torch.isfinite(values).all())


@torch.no_grad()
def _first_bad_layer(model: nn.Module, inputs: Tensor) -> str:
    """The innermost layer whose output is the first that is not finite, from one more forward."""
    found: list[str] = []

    def look(name: str, output: Any) -> None:
        if not found and isinstance(output, Tensor) and not is_finite(output):
            found.append(name or "(the model itself)")

    handles = [
        layer.register_forward_hook(lambda _layer, _inputs, output, name=name: look(name, output))
        for name, layer in model.named_modules()
    ]
    try:
        model(inputs)
    finally:
        for handle in handles:
            handle.remove()
    return found[0] if found else "(not seen again in a second forward)"
