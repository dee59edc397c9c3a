"""Layers whose weights are one flat tensor each, which take simulated time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gpuedu.errors import AnswerError
from gpuedu.exercises.ranks.buffers import Buffers
from gpuedu.multi import work_for

BACKWARD = 2
"""Times as long as the forward pass: twice as many products."""


class FlatLayers:
    """One rank's batch on its way through a chain of tanh layers, and back.

    Args:
        widths: layer i has ``widths[i]`` inputs and ``widths[i + 1]`` outputs.
        times_s: of the forward pass of each layer.
        memory: the buffers of the rank.
        batch: samples of shape (count, widths[0]), and what the outputs should be, float64.
    """

    def __init__(
        self,
        widths: Sequence[int],
        times_s: Sequence[float],
        memory: Buffers,
        batch: tuple[Tensor, Tensor],
    ) -> None:
        self._shapes = shapes_of(widths)
        self._times_s, self._memory = times_s, memory
        self._into = [batch[0]]
        self._wanted = batch[1]
        self._grad: Tensor | None = None
        self._next = 0

    def forward(self, layer: int, weights: Tensor) -> None:
        """Compute a layer's outputs from those of the layer before.

        Args:
            layer: the number of the layer; they come in order.
            weights: a buffer of the rank that begins with all weights of the layer.

        Raises:
            AnswerError: it is another layer's turn, or the weights are not there.
        """
        matrix, bias = self._ready("forward", layer, weights, self._next)
        work_for(self._times_s[layer], f"forward {layer}")
        self._into.append(torch.tanh(self._into[-1] @ matrix.t() + bias))
        self._next = layer + 1

    def backward(self, layer: int, weights: Tensor, gradient: Tensor) -> None:
        """Compute the gradient of a layer, of the rank's mean loss, and of its inputs.

        Args:
            layer: the number of the layer; they come in order, from the last to the first.
            weights: as in ``forward``.
            gradient: a buffer of the rank; its first numbers become the gradient, all others 0.

        Raises:
            AnswerError: it is another layer's turn, or the weights are not there.
        """
        at = len(self._into) - 2 if self._is_forward_over() else None
        matrix, _ = self._ready("backward", layer, weights, at)
        self._memory.require(gradient, "backward")
        if len(gradient) < size_of(self._shapes[layer]) or gradient is weights:
            raise AnswerError(f"`backward({layer}, ...)` got a gradient that has no room for it")
        work_for(BACKWARD * self._times_s[layer], f"backward {layer}")
        out = self._into.pop()
        if self._grad is None:
            self._grad = 2 * (out - self._wanted) / out.numel()
        inner = self._grad * (1 - out * out)
        self._grad = inner @ matrix
        found = torch.cat([(inner.t() @ self._into[-1]).flatten(), inner.sum(0)])
        gradient.zero_()
        gradient[: len(found)] = found

    def require_forward(self) -> None:
        """Raise AnswerError where a layer did not go forward."""
        if not self._is_forward_over():
            done = f"{self._next} of {len(self._shapes)} layers"
            raise AnswerError(f"{done} went forward when `forward_pass` returned")

    def require_backward(self) -> None:
        """Raise AnswerError where a layer did not go back."""
        count = len(self._shapes)
        if len(self._into) > 1:
            done = f"{count + 1 - len(self._into)} of {count} layers"
            raise AnswerError(f"{done} went back when `backward_pass` returned")

    def _is_forward_over(self) -> bool:
        return self._next == len(self._shapes)

    def _ready(
        self, name: str, layer: Any, weights: Any, turn: int | None
    ) -> tuple[Tensor, Tensor]:
        """The layer's matrix and bias, if it is its turn."""
        count = len(self._shapes)
        if type(layer) is not int or turn is None or layer != turn:
            told = f"it is the turn of `{name}({turn}, ...)`"
            if turn is None or not 0 <= turn < count:
                told = f"{self._next} of {count} layers went forward"
            raise AnswerError(f"`{name}({layer}, ...)` was called, and {told}")
        self._memory.require(weights, name)
        shape = self._shapes[layer]
        if len(weights) < size_of(shape):
            raise AnswerError(
                f"`{name}({layer}, ...)` got a buffer of {len(weights)} numbers; layer {layer} has "
                f"{size_of(shape)} weights"
            )
        mine = weights[: size_of(shape)]
        if torch.isnan(mine).any():
            raise AnswerError(
                f"`{name}({layer}, ...)` computes with weights that have not arrived: "
                f"{int(torch.isnan(mine).sum())} of {len(mine)} are NaN",
                remedy="When are the weights in the buffer: when the gather is called, or when it "
                "is done?",
            )
        matrix, bias = mine.split([shape[0] * shape[1], shape[0]])
        return matrix.view(shape), bias


def shapes_of(widths: Sequence[int]) -> list[tuple[int, int]]:
    """(outputs, inputs) of each layer."""
    return list(zip(widths[1:], widths[:-1], strict=True))


def size_of(shape: tuple[int, int]) -> int:
    """How many weights a layer has, its bias included."""
    return shape[0] * (shape[1] + 1)


def make_weights(widths: Sequence[int], seed: int) -> list[np.ndarray]:
    """Flat weights of each layer, float64."""
    rng = np.random.default_rng(seed)
    return [rng.normal(0, 0.4, size_of(shape)) for shape in shapes_of(widths)]
