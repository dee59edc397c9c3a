"""autograd-function: beside the learner's code."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.guard import explain
from gpuedu.exercises.into_pytorch.autograd_function.contexts import Context, moved, tensors_beside
from gpuedu.exercises.into_pytorch.autograd_function.laid_out import (
    laid_out,
    without_memory,
    without_values,
)
from gpuedu.exercises.plain import describe
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.refusing import name_of, refusing
from gpuedu.exercises.training.tensors import as_array, dtype_of, require_tensor

_THREE = 3
_OF_THE_GATE = (
    *("sigmoid", "special_expit", "silu", "logsigmoid", "softplus", "softmax", "tanh"),
    *("exp", "exp2", "expm1", "pow", "rpow"),
)
_COMPUTES = "`forward` computes the gate with PyTorch's operations"
_REMEDY = "The kernel is to do that: what does `gate_kernel` need, and where does it write?"


def play_autograd_function(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What ``forward`` or ``fake`` gives, or the gradients that ``backward`` gives."""
    forward, fake, setup_context, backward = answers
    with quiet_torch():
        if inputs["ask"] == "forward":
            return _forward(forward, inputs)
        if inputs["ask"] == "refuse":
            return {"raised": _raised(forward, inputs)}
        if inputs["ask"] == "fake":
            return _fake(fake, inputs)
        if inputs["ask"] == "traced":
            return _traced(setup_context, backward, inputs)
        return _gradients(setup_context, backward, inputs["calls"])


def _operands(inputs: Mapping[str, Any]) -> tuple[Any, Any, float]:
    x, y = (laid_out(inputs[name], inputs[f"{name}_lies"]) for name in ("x", "y"))
    return x, y, inputs["beta"]


def _forward(forward: Any, inputs: Inputs) -> dict[str, Any]:
    x, y, beta = _operands(inputs)
    before = {"x": x.clone(), "y": y.clone()}
    with refusing(_is_of_the_gate, _COMPUTES, _REMEDY):
        out = forward(x, y, beta)
    name = "the result of `forward`"
    given = {"x": x, "y": y}
    return {
        "out": as_array(out, x.shape, name),
        "dtype": dtype_of(out, name),
        "strides": list(out.stride()),
        "shares": [one for one, tensor in given.items() if _shares(out, tensor)],
        "changed": [one for one, tensor in given.items() if not _is_same(before[one], tensor)],
    }


def _is_of_the_gate(function: Any, *_: Any) -> bool:
    return name_of(function).strip("_") in _OF_THE_GATE


def _shares(one: Any, other: Any) -> bool:
    return one.untyped_storage()._cdata == other.untyped_storage()._cdata


def _is_same(before: Any, after: Any) -> bool:
    import torch

    return before.shape == after.shape and torch.equal(before, after)


def _raised(forward: Any, inputs: Inputs) -> str:
    """What kind of error it raised; "" where it raised none."""
    try:
        forward(*_operands(inputs))
    except ValueError:
        return "ValueError"
    except Exception as fault:
        kinds = (TypeError, RuntimeError, AssertionError, IndexError)
        return next((kind.__name__ for kind in kinds if isinstance(fault, kind)), "another error")
    return ""


def _fake(fake: Any, inputs: Inputs) -> dict[str, Any]:
    x, y, beta = _operands(inputs)
    x, y = (without_values(one, inputs["device"]) for one in (x, y))
    out = require_tensor(fake(x, y, beta), "the result of `fake`")
    return {
        "shape": list(out.shape),
        "dtype": dtype_of(out),
        "strides": list(out.stride()),
        "device": out.device.type,
    }


def _traced(setup_context: Any, backward: Any, inputs: Inputs) -> dict[str, Any]:
    """Shapes of the gradients of tensors that have no values."""
    x, y, beta = _operands(inputs)
    x, y, out = map(without_memory, (x, y, x.contiguous()))
    ctx = Context((True, True, False))
    setup_context(ctx, (x, y, beta), out)
    given = _three(backward(ctx, without_memory(laid_out(inputs["x"], "transposed"))))
    shapes = [[] if one is None else list(require_tensor(one, name).shape) for name, one in given]
    return {"shapes": shapes[:2]}


def _three(given: Any) -> list[tuple[str, Any]]:
    """What ``backward`` gave for each input of the operator, with its name."""
    if not isinstance(given, tuple | list) or len(given) != _THREE:
        count = f", {len(given)} of them" if isinstance(given, tuple | list) else ""
        raise AnswerError(
            f"`backward` should return three things, for x, y and beta; got {describe(given)}"
            f"{count}"
        )
    return [(f"the gradient of {name}", one) for name, one in zip("xyb", given, strict=True)]


def _gradients(setup_context: Any, backward: Any, calls: Sequence[Inputs]) -> dict[str, Any]:
    """Of each call by itself; then of all, set up one after another before the last is used.

    Then the tensors that were kept are all that there is: see ``_Call.move``.
    """
    alone, kept, changed = [], [], []
    for call in calls:
        one = _Call(call)
        one.set_up(setup_context)
        alone.append(one.gradients(backward))
        kept.append(tensors_beside(one.ctx))
        changed.append(one.changed())
    again = [_Call(call) for call in calls]
    for one in again:
        one.set_up(setup_context)
    for one in again:
        one.move(setup_context)
    together, lost = [], ""
    try:
        together = [one.gradients(backward) for one in reversed(again)][::-1]
    except Exception as fault:
        problem = explain(fault, 0)
        if problem.ends_check or problem.is_missing:
            raise
        lost = problem.message
    return {
        "needed": [[array is not None for array in one] for one in alone],
        "alone": [_arrays(one) for one in alone],
        "together": [_arrays(one) for one in together],
        "lost": lost,
        "beside": kept,
        "changed": changed,
    }


def _arrays(gradients: Sequence[Any]) -> list[np.ndarray]:
    """Those of the two tensors; an empty array where there is none."""
    return [np.zeros(0) if one is None else one for one in gradients[:2]]


class _Call:
    """A forward pass, and the backward pass that belongs to it."""

    def __init__(self, call: Inputs) -> None:
        self._call = call
        self.x, self.y, self.beta = _operands(call)
        self.ctx = Context((*call["needs"], False))
        self._grad = laid_out(call["grad"], call["grad_lies"])
        self._out = (self.x * (self.beta * self.x).sigmoid() * self.y).contiguous()
        self._before = [one.clone() for one in self._tensors().values()]

    def _tensors(self) -> dict[str, Any]:
        return {"x": self.x, "y": self.y, "output": self._out, "grad": self._grad}

    def set_up(self, setup_context: Any) -> None:
        """As PyTorch calls it, with a right result of the operator."""
        setup_context(self.ctx, (self.x, self.y, self.beta), self._out)

    def move(self, setup_context: Any) -> None:
        """Leave nothing of the forward pass but the tensors that ``ctx`` has kept.

        Its numbers come from another forward pass, which differs in the values of x and y alone:
        one under which tensors are kept elsewhere leads to those of that pass.
        """
        other = _Call({**self._call, **{name: self._call[name] + 1 for name in ("x", "y")}})
        other.set_up(setup_context)
        self.ctx = moved(self.ctx, other.ctx)
        for one in (self.x, self.y, self._out):
            one.fill_(math.nan)

    def gradients(self, backward: Any) -> list[Any]:
        """What was returned for each input: an array, or None; for beta whether it is there."""
        given = _three(backward(self.ctx, self._grad))
        dtype = dtype_of(self.x)
        found: list[Any] = [
            None if one is None else as_array(one, self.x.shape, name, dtype)
            for name, one in given[:2]
        ]
        return [*found, None if given[2][1] is None else 0]

    def changed(self) -> list[str]:
        """The names of tensors that are no longer as they were."""
        after = zip(self._tensors().items(), self._before, strict=True)
        return [name for (name, one), before in after if not _is_same(before, one)]


PLAY = Play(
    (
        Answer("forward", signature=("x", "y", "beta")),
        Answer("fake", signature=("x", "y", "beta")),
        Answer("setup_context", signature=("ctx", "inputs", "output")),
        Answer("backward", signature=("ctx", "grad")),
    ),
    play_autograd_function,
    time_limit_s=30.0,
    by_operations=True,
)
